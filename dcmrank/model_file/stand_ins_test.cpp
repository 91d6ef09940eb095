#include "dcmrank/model_file/stand_ins.h"

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {
namespace {

FittedModel parsed(const std::string& members, const std::string& items) {
  return parse_model(R"({"method":"em","positions":3,)" + members +
                         R"(,"queries":[{"query":"q","items":[)" + items + "]}]}",
                     "m.json");
}

const std::string kThree =
    R"({"item":"a","attraction":0.5},{"item":"b","attraction":0.4},{"item":"c","attraction":0.3})";

TEST(StandIns, TakeTheSmallestIdentifiedTermination) {
  FittedModel model =
      parsed(R"("model":"dcm","termination":[0.6,0.2,0.5],"unidentified":[3])", kThree);
  const std::string note = stand_in(model, "q", "m.json");
  EXPECT_EQ(model.lists.at("termination").values, (std::vector<double>{0.6, 0.2, 0.2}));
  EXPECT_NE(note.find("termination at position 3; the smallest of the others, 0.2"),
            std::string::npos)
      << note;
}

TEST(StandIns, SayNothingWhereAllIsKnown) {
  FittedModel model = parsed(R"("model":"dcm","termination":[0.6,0.2,0.5])", kThree);
  EXPECT_EQ(stand_in(model, "q", "m.json"), "");
}

TEST(StandIns, AreRefusedWhereNothingIsIdentified) {
  FittedModel model =
      parsed(R"("model":"dcm","termination":[0.6,0.2,0.5],"unidentified":[1,2,3])", kThree);
  EXPECT_THROW(stand_in(model, "q", "m.json"), InputError);
}

TEST(StandIns, StayInTheRowOfATriangle) {
  const ListParameter& list = kUbmModel.lists[0];
  const FittedList fitted{{1, 0.1, 0.9, 0.7, 0.8, 0.6}, {4, 5}};
  EXPECT_EQ(with_stand_ins(list, fitted), (std::vector<double>{1, 0.1, 0.9, 0.6, 0.6, 0.6}));
  const FittedList no_row{{1, 0.1, 0.9, 0.7, 0.8, 0.6}, {4, 5, 6}};
  EXPECT_EQ(with_stand_ins(list, no_row), (std::vector<double>{1, 0.1, 0.9, 0.1, 0.1, 0.1}));
}

TEST(StandIns, LeaveOutItemsOfUnknownAttraction) {
  FittedModel model = parsed(R"("model":"pbm","examination":[1,0.5,0.2])", kThree);
  model.queries[0].items[1].unidentified = {"attraction"};
  const std::string note = stand_in(model, "q", "m.json");
  ASSERT_EQ(model.queries[0].items.size(), 2U);
  EXPECT_EQ(model.queries[0].items[1].item, "c");
  EXPECT_NE(note.find("1 item,"), std::string::npos) << note;
  model.queries[0].items[1].unidentified = {"attraction"};
  EXPECT_THROW(stand_in(model, "q", "m.json"), InputError);
}

TEST(StandIns, TakeTheSmallestSatisfactionOfTheQuery) {
  FittedModel model =
      parsed(R"("model":"dbn","continuation":0.9)",
             R"({"item":"a","attraction":0.5,"satisfaction":0.5,"unidentified":["satisfaction"]},)"
             R"({"item":"b","attraction":0.4,"satisfaction":0.3},)"
             R"({"item":"c","attraction":0.3,"satisfaction":0.7})");
  EXPECT_NE(stand_in(model, "q", "m.json"), "");
  EXPECT_EQ(model.queries[0].items[0].parameters[0], 0.3);
}

// What a log cannot tell, and what its model file says of it.
class Unidentified : public ::testing::Test {
 protected:
  void show(const std::vector<std::string>& items, const std::vector<std::uint8_t>& clicks,
            int times = 10) {
    std::vector<Id> ids;
    for (const std::string& item : items) ids.emplace_back(item);
    for (int i = 0; i < times; ++i) statistics_.add({Id("q"), ids, clicks});
  }
  FittedModel fitted(const ClickModel& model) const {
    FitOptions options;
    options.method = Method::kEm;
    return parse_model(print_model(fit(model, make_sample(statistics_, {}), options)), "m.json");
  }
  static std::vector<std::string> of_item(const FittedModel& model, const std::string& id) {
    for (const FittedItem& item : model.queries[0].items) {
      if (item.item == id) return item.unidentified;
    }
    return {"no such item"};
  }

 private:
  Statistics statistics_{Needs{true, true, 1000, true, true}};
};

using Entries = std::vector<std::size_t>;
using Names = std::vector<std::string>;

TEST_F(Unidentified, IsTheExaminationOfPositionsThatNoItemLinksToTheTop) {
  show({"a", "b", "c"}, {1, 1, 0});
  show({"b", "a", "d"}, {0, 1, 1});
  const FittedModel model = fitted(kPbmModel);
  EXPECT_EQ(model.lists.at("examination").unidentified, (Entries{3}));
  EXPECT_EQ(model.lists.at("examination").values[0], 1);
  EXPECT_EQ(of_item(model, "a"), Names{});
  EXPECT_EQ(of_item(model, "c"), Names{"attraction"});
  EXPECT_EQ(of_item(model, "d"), Names{"attraction"});
}

TEST_F(Unidentified, AreContextsOfTheUbmThatNeverCame) {
  show({"a", "b", "c"}, {1, 1, 0});
  show({"b", "c", "a"}, {1, 0, 1});
  show({"c", "a", "b"}, {0, 1, 1});
  // Rows: (1), (1 above; none), (1 above; 2 above; none). Never: the third without a click above.
  EXPECT_EQ(fitted(kUbmModel).lists.at("examination").unidentified, (Entries{6}));
}

TEST_F(Unidentified, IsTheSatisfactionOfWhatWasClickedAtTheEndAloneOrNever) {
  show({"a", "b", "c"}, {1, 0, 1});
  show({"b", "a", "c"}, {0, 1, 0});
  for (const ClickModel* model : {&kDbnModel, &kSdbnModel}) {
    const FittedModel result = fitted(*model);
    EXPECT_EQ(of_item(result, "a"), Names{}) << model->name;
    EXPECT_EQ(of_item(result, "b"), Names{"satisfaction"}) << model->name;
    EXPECT_EQ(of_item(result, "c"), Names{"satisfaction"}) << model->name;
  }
}

TEST_F(Unidentified, AreChancesOfGoingOnWhereNobodyCould) {
  show({"a"}, {1});
  show({"b"}, {0});
  EXPECT_EQ(fitted(kDbnModel).lists.at("continuation").unidentified, (Entries{1}));
  EXPECT_EQ(fitted(kCcmModel).lists.at("alpha").unidentified, (Entries{1, 2, 3}));
}

TEST_F(Unidentified, AreTheAlphasAfterClicksOnASingleItem) {
  show({"a", "b"}, {1, 0});
  show({"a", "b"}, {0, 1});
  show({"a", "b"}, {1, 1});
  EXPECT_EQ(fitted(kCcmModel).lists.at("alpha").unidentified, (Entries{2, 3}));
}

TEST_F(Unidentified, OfAFileIsRefusedWhereThereIsNoSuchEntry) {
  const auto refused = [&](const std::string& members, const char* why) {
    try {
      parsed(members, kThree);
      ADD_FAILURE() << why;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused(R"("model":"dcm","termination":[0.6,0.2],"unidentified":[3])", "no entry 3");
  refused(R"("model":"dcm","termination":[0.6,0.2],"unidentified":[0])", "0 is not an entry");
  refused(R"("model":"ubm","examination":[[1],[0.5,0.5]],"unidentified":[2])", "2 is not an entry");
  refused(R"("model":"ubm","examination":[[1],[0.5,0.5]],"unidentified":[[2,3]])",
          "[2,3] is not an entry");
  refused(R"("model":"ubm","examination":[[1],[0.5,0.5]],"unidentified":[[3,1]])",
          "no entry [3,1]");
}

}  // namespace
}  // namespace dcmrank
