#pragma once

/// Where things are on this machine. Only one generated source knows it (dcmrank_places in
/// CMakeLists.txt), so that ccache finds everything else again in another clone.
namespace dcmrank::places {

extern const char* const kProgram;  // the command
extern const char* const kFailingDisk;
extern const char* const kDocs;
extern const char* const kRealLog;
extern const char* const kServiceTests;
extern const char* const kScratch;  // a folder of this build, for what its tests keep

}  // namespace dcmrank::places
