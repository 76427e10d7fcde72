// SPDX-License-Identifier: Apache-2.0
// An MXSML of before mxSmlGetMetaXLinkInfo_v2.
#define STAND_IN_OLD
#include "mxsml.cpp"  // NOLINT(bugprone-suspicious-include)
