#pragma once

#include <vector>

#include "dcmrank/click_model/click_model.h"

namespace dcmrank {

/// Our own click models: another test of the same process may add one whose fits no file can hold.
inline const std::vector<const ClickModel*> kOurModels(click_models().begin(),
                                                       click_models().end());

}  // namespace dcmrank
