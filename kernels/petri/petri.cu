// A simulation of a Petri net with 24 places and 252 transitions, each looked at once,
// in order. Written by petri.go: go test ./kernels -run PetriSources -update
//
// Each thread has a marking of its own: marking[p * threads + id] tokens are on place p,
// 0 to 255. A transition fires if three places hold neither too few nor too many; it then
// moves tokens from the first to the second. `fired` counts for each transition how often
// it fired in all threads.
#include "cuda.h"

extern "C" __global__ void petri(const unsigned char *marking, unsigned char *next,
    unsigned *fired) {
  unsigned threads = gridDim.x * blockDim.x;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m0 = marking[0 * threads + id];
  unsigned m1 = marking[1 * threads + id];
  unsigned m2 = marking[2 * threads + id];
  unsigned m3 = marking[3 * threads + id];
  unsigned m4 = marking[4 * threads + id];
  unsigned m5 = marking[5 * threads + id];
  unsigned m6 = marking[6 * threads + id];
  unsigned m7 = marking[7 * threads + id];
  unsigned m8 = marking[8 * threads + id];
  unsigned m9 = marking[9 * threads + id];
  unsigned m10 = marking[10 * threads + id];
  unsigned m11 = marking[11 * threads + id];
  unsigned m12 = marking[12 * threads + id];
  unsigned m13 = marking[13 * threads + id];
  unsigned m14 = marking[14 * threads + id];
  unsigned m15 = marking[15 * threads + id];
  unsigned m16 = marking[16 * threads + id];
  unsigned m17 = marking[17 * threads + id];
  unsigned m18 = marking[18 * threads + id];
  unsigned m19 = marking[19 * threads + id];
  unsigned m20 = marking[20 * threads + id];
  unsigned m21 = marking[21 * threads + id];
  unsigned m22 = marking[22 * threads + id];
  unsigned m23 = marking[23 * threads + id];

  if ((m3 - 117u <= 15) & (m0 - 118u <= 15) & (m2 - 117u <= 15)) {
    m3 -= 1, m0 += 1;
    atomicAdd(&fired[0], 1);
  }

  if ((m6 - 87u <= 15) & (m9 - 93u <= 15) & (m5 - 66u <= 15)) {
    m6 -= 3, m9 += 3;
    atomicAdd(&fired[1], 1);
  }

  if ((m11 - 74u <= 15) & (m8 - 65u <= 15) & (m12 - 62u <= 15)) {
    m11 -= 1, m8 += 1;
    atomicAdd(&fired[2], 1);
  }

  if ((m3 - 116u <= 15) & (m10 - 115u <= 15) & (m0 - 121u <= 15)) {
    m3 -= 3, m10 += 3;
    atomicAdd(&fired[3], 1);
  }

  if ((m5 - 67u <= 15) & (m20 - 185u <= 15) & (m9 - 105u <= 15)) {
    m5 -= 2, m20 += 2;
    atomicAdd(&fired[4], 1);
  }

  if ((m2 - 127u <= 15) & (m18 - 63u <= 15) & (m13 - 71u <= 15)) {
    m2 -= 2, m18 += 2;
    atomicAdd(&fired[5], 1);
  }

  if ((m13 - 77u <= 15) & (m23 - 180u <= 15) & (m4 - 67u <= 15)) {
    m13 -= 2, m23 += 2;
    atomicAdd(&fired[6], 1);
  }

  if ((m12 == 65) & (m14 == 125) & (m16 == 177)) {
    m12 -= 2, m14 += 2;
    atomicAdd(&fired[7], 1);
  }

  if ((m3 - 109u <= 15) & (m18 - 65u <= 15) & (m7 - 181u <= 15)) {
    m3 -= 2, m18 += 2;
    atomicAdd(&fired[8], 1);
  }

  if ((m11 - 62u <= 15) & (m17 - 126u <= 15) & (m7 - 187u <= 15)) {
    m11 -= 2, m17 += 2;
    atomicAdd(&fired[9], 1);
  }

  if ((m7 - 184u <= 15) & (m23 - 184u <= 15) & (m11 - 67u <= 15)) {
    m7 -= 3, m23 += 3;
    atomicAdd(&fired[10], 1);
  }

  if ((m4 - 64u <= 15) & (m7 - 179u <= 15) & (m12 - 50u <= 15)) {
    m4 -= 2, m7 += 2;
    atomicAdd(&fired[11], 1);
  }

  if ((m11 - 75u <= 15) & (m3 - 117u <= 15) & (m15 - 124u <= 15)) {
    m11 -= 3, m3 += 3;
    atomicAdd(&fired[12], 1);
  }

  if ((m21 - 109u <= 15) & (m13 - 65u <= 15) & (m10 - 121u <= 15)) {
    m21 -= 2, m13 += 2;
    atomicAdd(&fired[13], 1);
  }

  if ((m18 - 57u <= 15) & (m7 - 179u <= 15) & (m3 - 114u <= 15)) {
    m18 -= 1, m7 += 1;
    atomicAdd(&fired[14], 1);
  }

  if ((m10 == 133) & (m8 == 73) & (m12 == 63)) {
    m10 -= 1, m8 += 1;
    atomicAdd(&fired[15], 1);
  }

  if ((m21 - 112u <= 15) & (m1 - 95u <= 15) & (m7 - 179u <= 15)) {
    m21 -= 3, m1 += 3;
    atomicAdd(&fired[16], 1);
  }

  if ((m6 - 89u <= 15) & (m19 - 151u <= 15) & (m12 - 54u <= 15)) {
    m6 -= 3, m19 += 3;
    atomicAdd(&fired[17], 1);
  }

  if ((m6 - 83u <= 15) & (m19 - 160u <= 15) & (m7 - 189u <= 15)) {
    m6 -= 2, m19 += 2;
    atomicAdd(&fired[18], 1);
  }

  if ((m16 - 176u <= 15) & (m13 - 65u <= 15) & (m4 - 71u <= 15)) {
    m16 -= 3, m13 += 3;
    atomicAdd(&fired[19], 1);
  }

  if ((m1 - 108u <= 15) & (m19 - 162u <= 15) & (m7 - 184u <= 15)) {
    m1 -= 1, m19 += 1;
    atomicAdd(&fired[20], 1);
  }

  if ((m6 - 91u <= 15) & (m5 - 70u <= 15) & (m12 - 54u <= 15)) {
    m6 -= 3, m5 += 3;
    atomicAdd(&fired[21], 1);
  }

  if ((m10 - 127u <= 15) & (m16 - 171u <= 15) & (m6 - 82u <= 15)) {
    m10 -= 3, m16 += 3;
    atomicAdd(&fired[22], 1);
  }

  if ((m6 == 88) & (m22 == 165) & (m21 == 114)) {
    m6 -= 1, m22 += 1;
    atomicAdd(&fired[23], 1);
  }

  if ((m14 - 124u <= 15) & (m8 - 61u <= 15) & (m20 - 185u <= 15)) {
    m14 -= 3, m8 += 3;
    atomicAdd(&fired[24], 1);
  }

  if ((m6 - 85u <= 15) & (m11 - 59u <= 15) & (m1 - 93u <= 15)) {
    m6 -= 3, m11 += 3;
    atomicAdd(&fired[25], 1);
  }

  if ((m9 - 97u <= 15) & (m7 - 186u <= 15) & (m8 - 65u <= 15)) {
    m9 -= 1, m7 += 1;
    atomicAdd(&fired[26], 1);
  }

  if ((m15 - 113u <= 15) & (m5 - 63u <= 15) & (m4 - 77u <= 15)) {
    m15 -= 3, m5 += 3;
    atomicAdd(&fired[27], 1);
  }

  if ((m3 - 118u <= 15) & (m6 - 83u <= 15) & (m23 - 182u <= 15)) {
    m3 -= 1, m6 += 1;
    atomicAdd(&fired[28], 1);
  }

  if ((m0 - 119u <= 15) & (m15 - 124u <= 15) & (m5 - 63u <= 15)) {
    m0 -= 3, m15 += 3;
    atomicAdd(&fired[29], 1);
  }

  if ((m11 - 74u <= 15) & (m6 - 84u <= 15) & (m9 - 102u <= 15)) {
    m11 -= 2, m6 += 2;
    atomicAdd(&fired[30], 1);
  }

  if ((m13 == 80) & (m20 == 188) & (m21 == 114)) {
    m13 -= 1, m20 += 1;
    atomicAdd(&fired[31], 1);
  }

  if ((m2 - 120u <= 15) & (m21 - 107u <= 15) & (m4 - 70u <= 15)) {
    m2 -= 2, m21 += 2;
    atomicAdd(&fired[32], 1);
  }

  if ((m13 - 64u <= 15) & (m0 - 108u <= 15) & (m1 - 103u <= 15)) {
    m13 -= 1, m0 += 1;
    atomicAdd(&fired[33], 1);
  }

  if ((m0 - 121u <= 15) & (m2 - 114u <= 15) & (m12 - 62u <= 15)) {
    m0 -= 1, m2 += 1;
    atomicAdd(&fired[34], 1);
  }

  if ((m1 - 106u <= 15) & (m18 - 63u <= 15) & (m4 - 68u <= 15)) {
    m1 -= 2, m18 += 2;
    atomicAdd(&fired[35], 1);
  }

  if ((m14 - 122u <= 15) & (m13 - 69u <= 15) & (m8 - 74u <= 15)) {
    m14 -= 2, m13 += 2;
    atomicAdd(&fired[36], 1);
  }

  if ((m22 - 162u <= 15) & (m4 - 69u <= 15) & (m20 - 184u <= 15)) {
    m22 -= 2, m4 += 2;
    atomicAdd(&fired[37], 1);
  }

  if ((m4 - 67u <= 15) & (m18 - 62u <= 15) & (m21 - 101u <= 15)) {
    m4 -= 3, m18 += 3;
    atomicAdd(&fired[38], 1);
  }

  if ((m6 == 87) & (m17 == 138) & (m13 == 80)) {
    m6 -= 2, m17 += 2;
    atomicAdd(&fired[39], 1);
  }

  if ((m15 - 117u <= 15) & (m6 - 80u <= 15) & (m2 - 117u <= 15)) {
    m15 -= 3, m6 += 3;
    atomicAdd(&fired[40], 1);
  }

  if ((m15 - 111u <= 15) & (m11 - 63u <= 15) & (m13 - 77u <= 15)) {
    m15 -= 3, m11 += 3;
    atomicAdd(&fired[41], 1);
  }

  if ((m10 - 125u <= 15) & (m6 - 77u <= 15) & (m7 - 190u <= 15)) {
    m10 -= 2, m6 += 2;
    atomicAdd(&fired[42], 1);
  }

  if ((m19 - 154u <= 15) & (m0 - 115u <= 15) & (m18 - 69u <= 15)) {
    m19 -= 3, m0 += 3;
    atomicAdd(&fired[43], 1);
  }

  if ((m10 - 113u <= 15) & (m9 - 94u <= 15) & (m5 - 73u <= 15)) {
    m10 -= 2, m9 += 2;
    atomicAdd(&fired[44], 1);
  }

  if ((m9 - 98u <= 15) & (m6 - 85u <= 15) & (m19 - 161u <= 15)) {
    m9 -= 1, m6 += 1;
    atomicAdd(&fired[45], 1);
  }

  if ((m16 - 163u <= 15) & (m9 - 103u <= 15) & (m10 - 119u <= 15)) {
    m16 -= 2, m9 += 2;
    atomicAdd(&fired[46], 1);
  }

  if ((m5 == 76) & (m15 == 121) & (m18 == 74)) {
    m5 -= 1, m15 += 1;
    atomicAdd(&fired[47], 1);
  }

  if ((m16 - 165u <= 15) & (m2 - 124u <= 15) & (m15 - 111u <= 15)) {
    m16 -= 3, m2 += 3;
    atomicAdd(&fired[48], 1);
  }

  if ((m10 - 111u <= 15) & (m13 - 77u <= 15) & (m6 - 91u <= 15)) {
    m10 -= 1, m13 += 1;
    atomicAdd(&fired[49], 1);
  }

  if ((m18 - 70u <= 15) & (m5 - 75u <= 15) & (m10 - 109u <= 15)) {
    m18 -= 1, m5 += 1;
    atomicAdd(&fired[50], 1);
  }

  if ((m18 - 68u <= 15) & (m6 - 82u <= 15) & (m13 - 77u <= 15)) {
    m18 -= 2, m6 += 2;
    atomicAdd(&fired[51], 1);
  }

  if ((m15 - 114u <= 15) & (m0 - 126u <= 15) & (m11 - 67u <= 15)) {
    m15 -= 2, m0 += 2;
    atomicAdd(&fired[52], 1);
  }

  if ((m11 - 67u <= 15) & (m7 - 188u <= 15) & (m23 - 183u <= 15)) {
    m11 -= 1, m7 += 1;
    atomicAdd(&fired[53], 1);
  }

  if ((m18 - 62u <= 15) & (m9 - 95u <= 15) & (m1 - 100u <= 15)) {
    m18 -= 2, m9 += 2;
    atomicAdd(&fired[54], 1);
  }

  if ((m19 == 163) & (m17 == 140) & (m10 == 124)) {
    m19 -= 2, m17 += 2;
    atomicAdd(&fired[55], 1);
  }

  if ((m11 - 67u <= 15) & (m8 - 66u <= 15) & (m20 - 188u <= 15)) {
    m11 -= 3, m8 += 3;
    atomicAdd(&fired[56], 1);
  }

  if ((m13 - 77u <= 15) & (m8 - 72u <= 15) & (m5 - 66u <= 15)) {
    m13 -= 2, m8 += 2;
    atomicAdd(&fired[57], 1);
  }

  if ((m13 - 72u <= 15) & (m1 - 93u <= 15) & (m6 - 79u <= 15)) {
    m13 -= 3, m1 += 3;
    atomicAdd(&fired[58], 1);
  }

  if ((m21 - 115u <= 15) & (m18 - 67u <= 15) & (m1 - 102u <= 15)) {
    m21 -= 2, m18 += 2;
    atomicAdd(&fired[59], 1);
  }

  if ((m13 - 76u <= 15) & (m7 - 185u <= 15) & (m18 - 59u <= 15)) {
    m13 -= 2, m7 += 2;
    atomicAdd(&fired[60], 1);
  }

  if ((m2 - 114u <= 15) & (m15 - 119u <= 15) & (m20 - 187u <= 15)) {
    m2 -= 3, m15 += 3;
    atomicAdd(&fired[61], 1);
  }

  if ((m3 - 116u <= 15) & (m6 - 84u <= 15) & (m18 - 70u <= 15)) {
    m3 -= 1, m6 += 1;
    atomicAdd(&fired[62], 1);
  }

  if ((m18 == 71) & (m10 == 124) & (m19 == 161)) {
    m18 -= 3, m10 += 3;
    atomicAdd(&fired[63], 1);
  }

  if ((m17 - 129u <= 15) & (m11 - 70u <= 15) & (m22 - 153u <= 15)) {
    m17 -= 1, m11 += 1;
    atomicAdd(&fired[64], 1);
  }

  if ((m1 - 108u <= 15) & (m11 - 64u <= 15) & (m8 - 70u <= 15)) {
    m1 -= 2, m11 += 2;
    atomicAdd(&fired[65], 1);
  }

  if ((m22 - 153u <= 15) & (m6 - 85u <= 15) & (m11 - 72u <= 15)) {
    m22 -= 3, m6 += 3;
    atomicAdd(&fired[66], 1);
  }

  if ((m10 - 114u <= 15) & (m14 - 109u <= 15) & (m18 - 63u <= 15)) {
    m10 -= 3, m14 += 3;
    atomicAdd(&fired[67], 1);
  }

  if ((m2 - 111u <= 15) & (m3 - 107u <= 15) & (m17 - 128u <= 15)) {
    m2 -= 1, m3 += 1;
    atomicAdd(&fired[68], 1);
  }

  if ((m6 - 93u <= 15) & (m0 - 113u <= 15) & (m8 - 73u <= 15)) {
    m6 -= 2, m0 += 2;
    atomicAdd(&fired[69], 1);
  }

  if ((m2 - 121u <= 15) & (m16 - 168u <= 15) & (m10 - 117u <= 15)) {
    m2 -= 1, m16 += 1;
    atomicAdd(&fired[70], 1);
  }

  if ((m5 == 76) & (m22 == 161) & (m23 == 188)) {
    m5 -= 1, m22 += 1;
    atomicAdd(&fired[71], 1);
  }

  if ((m19 - 147u <= 15) & (m8 - 69u <= 15) & (m10 - 119u <= 15)) {
    m19 -= 1, m8 += 1;
    atomicAdd(&fired[72], 1);
  }

  if ((m14 - 118u <= 15) & (m1 - 94u <= 15) & (m12 - 56u <= 15)) {
    m14 -= 3, m1 += 3;
    atomicAdd(&fired[73], 1);
  }

  if ((m13 - 73u <= 15) & (m17 - 141u <= 15) & (m4 - 65u <= 15)) {
    m13 -= 3, m17 += 3;
    atomicAdd(&fired[74], 1);
  }

  if ((m11 - 60u <= 15) & (m20 - 184u <= 15) & (m22 - 152u <= 15)) {
    m11 -= 3, m20 += 3;
    atomicAdd(&fired[75], 1);
  }

  if ((m23 - 188u <= 15) & (m7 - 181u <= 15) & (m13 - 65u <= 15)) {
    m23 -= 3, m7 += 3;
    atomicAdd(&fired[76], 1);
  }

  if ((m0 - 116u <= 15) & (m10 - 123u <= 15) & (m21 - 113u <= 15)) {
    m0 -= 3, m10 += 3;
    atomicAdd(&fired[77], 1);
  }

  if ((m21 - 112u <= 15) & (m16 - 170u <= 15) & (m12 - 60u <= 15)) {
    m21 -= 3, m16 += 3;
    atomicAdd(&fired[78], 1);
  }

  if ((m21 == 111) & (m13 == 71) & (m14 == 122)) {
    m21 -= 1, m13 += 1;
    atomicAdd(&fired[79], 1);
  }

  if ((m3 - 109u <= 15) & (m17 - 134u <= 15) & (m6 - 89u <= 15)) {
    m3 -= 2, m17 += 2;
    atomicAdd(&fired[80], 1);
  }

  if ((m16 - 176u <= 15) & (m18 - 60u <= 15) & (m2 - 114u <= 15)) {
    m16 -= 3, m18 += 3;
    atomicAdd(&fired[81], 1);
  }

  if ((m11 - 69u <= 15) & (m16 - 164u <= 15) & (m0 - 124u <= 15)) {
    m11 -= 1, m16 += 1;
    atomicAdd(&fired[82], 1);
  }

  if ((m9 - 100u <= 15) & (m3 - 112u <= 15) & (m17 - 138u <= 15)) {
    m9 -= 1, m3 += 1;
    atomicAdd(&fired[83], 1);
  }

  if ((m5 - 70u <= 15) & (m18 - 67u <= 15) & (m8 - 76u <= 15)) {
    m5 -= 2, m18 += 2;
    atomicAdd(&fired[84], 1);
  }

  if ((m21 - 96u <= 15) & (m9 - 96u <= 15) & (m23 - 177u <= 15)) {
    m21 -= 2, m9 += 2;
    atomicAdd(&fired[85], 1);
  }

  if ((m7 - 188u <= 15) & (m15 - 113u <= 15) & (m18 - 60u <= 15)) {
    m7 -= 1, m15 += 1;
    atomicAdd(&fired[86], 1);
  }

  if ((m5 == 73) & (m14 == 122) & (m13 == 72)) {
    m5 -= 3, m14 += 3;
    atomicAdd(&fired[87], 1);
  }

  if ((m15 - 123u <= 15) & (m17 - 133u <= 15) & (m6 - 93u <= 15)) {
    m15 -= 1, m17 += 1;
    atomicAdd(&fired[88], 1);
  }

  if ((m19 - 158u <= 15) & (m1 - 102u <= 15) & (m9 - 106u <= 15)) {
    m19 -= 2, m1 += 2;
    atomicAdd(&fired[89], 1);
  }

  if ((m1 - 97u <= 15) & (m22 - 147u <= 15) & (m2 - 119u <= 15)) {
    m1 -= 2, m22 += 2;
    atomicAdd(&fired[90], 1);
  }

  if ((m20 - 177u <= 15) & (m23 - 182u <= 15) & (m11 - 70u <= 15)) {
    m20 -= 3, m23 += 3;
    atomicAdd(&fired[91], 1);
  }

  if ((m3 - 111u <= 15) & (m12 - 55u <= 15) & (m18 - 62u <= 15)) {
    m3 -= 2, m12 += 2;
    atomicAdd(&fired[92], 1);
  }

  if ((m12 - 51u <= 15) & (m23 - 188u <= 15) & (m8 - 68u <= 15)) {
    m12 -= 3, m23 += 3;
    atomicAdd(&fired[93], 1);
  }

  if ((m4 - 63u <= 15) & (m16 - 172u <= 15) & (m17 - 134u <= 15)) {
    m4 -= 2, m16 += 2;
    atomicAdd(&fired[94], 1);
  }

  if ((m7 == 195) & (m2 == 123) & (m15 == 123)) {
    m7 -= 1, m2 += 1;
    atomicAdd(&fired[95], 1);
  }

  if ((m10 - 115u <= 15) & (m0 - 123u <= 15) & (m14 - 124u <= 15)) {
    m10 -= 3, m0 += 3;
    atomicAdd(&fired[96], 1);
  }

  if ((m5 - 65u <= 15) & (m0 - 115u <= 15) & (m19 - 158u <= 15)) {
    m5 -= 3, m0 += 3;
    atomicAdd(&fired[97], 1);
  }

  if ((m3 - 103u <= 15) & (m5 - 67u <= 15) & (m23 - 189u <= 15)) {
    m3 -= 2, m5 += 2;
    atomicAdd(&fired[98], 1);
  }

  if ((m13 - 69u <= 15) & (m16 - 162u <= 15) & (m7 - 189u <= 15)) {
    m13 -= 3, m16 += 3;
    atomicAdd(&fired[99], 1);
  }

  if ((m4 - 72u <= 15) & (m7 - 179u <= 15) & (m20 - 182u <= 15)) {
    m4 -= 1, m7 += 1;
    atomicAdd(&fired[100], 1);
  }

  if ((m7 - 190u <= 15) & (m6 - 89u <= 15) & (m9 - 106u <= 15)) {
    m7 -= 1, m6 += 1;
    atomicAdd(&fired[101], 1);
  }

  if ((m1 - 100u <= 15) & (m9 - 99u <= 15) & (m18 - 68u <= 15)) {
    m1 -= 3, m9 += 3;
    atomicAdd(&fired[102], 1);
  }

  if ((m17 == 147) & (m7 == 194) & (m4 == 73)) {
    m17 -= 3, m7 += 3;
    atomicAdd(&fired[103], 1);
  }

  if ((m10 - 116u <= 15) & (m0 - 130u <= 15) & (m13 - 54u <= 15)) {
    m10 -= 3, m0 += 3;
    atomicAdd(&fired[104], 1);
  }

  if ((m18 - 64u <= 15) & (m7 - 196u <= 15) & (m5 - 69u <= 15)) {
    m18 -= 1, m7 += 1;
    atomicAdd(&fired[105], 1);
  }

  if ((m1 - 95u <= 15) & (m16 - 170u <= 15) & (m7 - 191u <= 15)) {
    m1 -= 2, m16 += 2;
    atomicAdd(&fired[106], 1);
  }

  if ((m10 - 119u <= 15) & (m13 - 69u <= 15) & (m7 - 196u <= 15)) {
    m10 -= 3, m13 += 3;
    atomicAdd(&fired[107], 1);
  }

  if ((m21 - 103u <= 15) & (m10 - 108u <= 15) & (m16 - 167u <= 15)) {
    m21 -= 1, m10 += 1;
    atomicAdd(&fired[108], 1);
  }

  if ((m3 - 109u <= 15) & (m5 - 58u <= 15) & (m10 - 119u <= 15)) {
    m3 -= 2, m5 += 2;
    atomicAdd(&fired[109], 1);
  }

  if ((m13 - 70u <= 15) & (m10 - 110u <= 15) & (m5 - 67u <= 15)) {
    m13 -= 1, m10 += 1;
    atomicAdd(&fired[110], 1);
  }

  if ((m18 == 72) & (m11 == 71) & (m3 == 113)) {
    m18 -= 3, m11 += 3;
    atomicAdd(&fired[111], 1);
  }

  if ((m15 - 112u <= 15) & (m22 - 160u <= 15) & (m23 - 177u <= 15)) {
    m15 -= 1, m22 += 1;
    atomicAdd(&fired[112], 1);
  }

  if ((m3 - 110u <= 15) & (m12 - 57u <= 15) & (m5 - 67u <= 15)) {
    m3 -= 2, m12 += 2;
    atomicAdd(&fired[113], 1);
  }

  if ((m14 - 123u <= 15) & (m18 - 58u <= 15) & (m22 - 151u <= 15)) {
    m14 -= 3, m18 += 3;
    atomicAdd(&fired[114], 1);
  }

  if ((m2 - 121u <= 15) & (m0 - 129u <= 15) & (m15 - 115u <= 15)) {
    m2 -= 1, m0 += 1;
    atomicAdd(&fired[115], 1);
  }

  if ((m18 - 59u <= 15) & (m3 - 104u <= 15) & (m9 - 108u <= 15)) {
    m18 -= 2, m3 += 2;
    atomicAdd(&fired[116], 1);
  }

  if ((m7 - 190u <= 15) & (m12 - 53u <= 15) & (m17 - 135u <= 15)) {
    m7 -= 1, m12 += 1;
    atomicAdd(&fired[117], 1);
  }

  if ((m3 - 103u <= 15) & (m7 - 188u <= 15) & (m13 - 64u <= 15)) {
    m3 -= 1, m7 += 1;
    atomicAdd(&fired[118], 1);
  }

  if ((m0 == 137) & (m23 == 191) & (m16 == 181)) {
    m0 -= 1, m23 += 1;
    atomicAdd(&fired[119], 1);
  }

  if ((m23 - 179u <= 15) & (m19 - 149u <= 15) & (m1 - 102u <= 15)) {
    m23 -= 2, m19 += 2;
    atomicAdd(&fired[120], 1);
  }

  if ((m17 - 130u <= 15) & (m16 - 178u <= 15) & (m0 - 125u <= 15)) {
    m17 -= 3, m16 += 3;
    atomicAdd(&fired[121], 1);
  }

  if ((m2 - 121u <= 15) & (m13 - 61u <= 15) & (m9 - 102u <= 15)) {
    m2 -= 3, m13 += 3;
    atomicAdd(&fired[122], 1);
  }

  if ((m23 - 179u <= 15) & (m8 - 71u <= 15) & (m22 - 152u <= 15)) {
    m23 -= 1, m8 += 1;
    atomicAdd(&fired[123], 1);
  }

  if ((m8 - 84u <= 15) & (m3 - 105u <= 15) & (m2 - 119u <= 15)) {
    m8 -= 2, m3 += 2;
    atomicAdd(&fired[124], 1);
  }

  if ((m12 - 59u <= 15) & (m11 - 60u <= 15) & (m3 - 106u <= 15)) {
    m12 -= 2, m11 += 2;
    atomicAdd(&fired[125], 1);
  }

  if ((m9 - 102u <= 15) & (m12 - 53u <= 15) & (m14 - 112u <= 15)) {
    m9 -= 2, m12 += 2;
    atomicAdd(&fired[126], 1);
  }

  if ((m20 == 189) & (m21 == 107) & (m5 == 71)) {
    m20 -= 2, m21 += 2;
    atomicAdd(&fired[127], 1);
  }

  if ((m14 - 113u <= 15) & (m5 - 60u <= 15) & (m15 - 115u <= 15)) {
    m14 -= 2, m5 += 2;
    atomicAdd(&fired[128], 1);
  }

  if ((m15 - 122u <= 15) & (m16 - 179u <= 15) & (m13 - 59u <= 15)) {
    m15 -= 1, m16 += 1;
    atomicAdd(&fired[129], 1);
  }

  if ((m9 - 102u <= 15) & (m7 - 193u <= 15) & (m3 - 112u <= 15)) {
    m9 -= 3, m7 += 3;
    atomicAdd(&fired[130], 1);
  }

  if ((m13 - 70u <= 15) & (m7 - 201u <= 15) & (m16 - 175u <= 15)) {
    m13 -= 2, m7 += 2;
    atomicAdd(&fired[131], 1);
  }

  if ((m3 - 108u <= 15) & (m15 - 121u <= 15) & (m5 - 60u <= 15)) {
    m3 -= 1, m15 += 1;
    atomicAdd(&fired[132], 1);
  }

  if ((m15 - 119u <= 15) & (m21 - 101u <= 15) & (m16 - 172u <= 15)) {
    m15 -= 3, m21 += 3;
    atomicAdd(&fired[133], 1);
  }

  if ((m5 - 63u <= 15) & (m16 - 173u <= 15) & (m14 - 113u <= 15)) {
    m5 -= 3, m16 += 3;
    atomicAdd(&fired[134], 1);
  }

  if ((m17 == 141) & (m21 == 112) & (m8 == 82)) {
    m17 -= 1, m21 += 1;
    atomicAdd(&fired[135], 1);
  }

  if ((m20 - 181u <= 15) & (m13 - 60u <= 15) & (m15 - 106u <= 15)) {
    m20 -= 1, m13 += 1;
    atomicAdd(&fired[136], 1);
  }

  if ((m5 - 56u <= 15) & (m15 - 104u <= 15) & (m0 - 122u <= 15)) {
    m5 -= 1, m15 += 1;
    atomicAdd(&fired[137], 1);
  }

  if ((m10 - 109u <= 15) & (m23 - 188u <= 15) & (m6 - 84u <= 15)) {
    m10 -= 1, m23 += 1;
    atomicAdd(&fired[138], 1);
  }

  if ((m7 - 188u <= 15) & (m21 - 112u <= 15) & (m6 - 94u <= 15)) {
    m7 -= 1, m21 += 1;
    atomicAdd(&fired[139], 1);
  }

  if ((m2 - 106u <= 15) & (m22 - 162u <= 15) & (m4 - 71u <= 15)) {
    m2 -= 3, m22 += 3;
    atomicAdd(&fired[140], 1);
  }

  if ((m18 - 57u <= 15) & (m16 - 184u <= 15) & (m9 - 109u <= 15)) {
    m18 -= 1, m16 += 1;
    atomicAdd(&fired[141], 1);
  }

  if ((m6 - 94u <= 15) & (m0 - 130u <= 15) & (m19 - 146u <= 15)) {
    m6 -= 3, m0 += 3;
    atomicAdd(&fired[142], 1);
  }

  if ((m7 == 202) & (m10 == 119) & (m20 == 186)) {
    m7 -= 1, m10 += 1;
    atomicAdd(&fired[143], 1);
  }

  if ((m22 - 160u <= 15) & (m15 - 112u <= 15) & (m9 - 94u <= 15)) {
    m22 -= 1, m15 += 1;
    atomicAdd(&fired[144], 1);
  }

  if ((m22 - 157u <= 15) & (m16 - 175u <= 15) & (m3 - 113u <= 15)) {
    m22 -= 3, m16 += 3;
    atomicAdd(&fired[145], 1);
  }

  if ((m17 - 137u <= 15) & (m10 - 113u <= 15) & (m13 - 73u <= 15)) {
    m17 -= 1, m10 += 1;
    atomicAdd(&fired[146], 1);
  }

  if ((m14 - 106u <= 15) & (m16 - 178u <= 15) & (m13 - 65u <= 15)) {
    m14 -= 3, m16 += 3;
    atomicAdd(&fired[147], 1);
  }

  if ((m14 - 113u <= 15) & (m11 - 74u <= 15) & (m8 - 72u <= 15)) {
    m14 -= 2, m11 += 2;
    atomicAdd(&fired[148], 1);
  }

  if ((m16 - 194u <= 15) & (m21 - 109u <= 15) & (m17 - 137u <= 15)) {
    m16 -= 1, m21 += 1;
    atomicAdd(&fired[149], 1);
  }

  if ((m5 - 63u <= 15) & (m4 - 73u <= 15) & (m14 - 102u <= 15)) {
    m5 -= 2, m4 += 2;
    atomicAdd(&fired[150], 1);
  }

  if ((m10 == 121) & (m5 == 67) & (m22 == 164)) {
    m10 -= 2, m5 += 2;
    atomicAdd(&fired[151], 1);
  }

  if ((m0 - 126u <= 15) & (m4 - 67u <= 15) & (m8 - 80u <= 15)) {
    m0 -= 3, m4 += 3;
    atomicAdd(&fired[152], 1);
  }

  if ((m9 - 97u <= 15) & (m11 - 71u <= 15) & (m6 - 83u <= 15)) {
    m9 -= 1, m11 += 1;
    atomicAdd(&fired[153], 1);
  }

  if ((m0 - 134u <= 15) & (m16 - 182u <= 15) & (m6 - 79u <= 15)) {
    m0 -= 1, m16 += 1;
    atomicAdd(&fired[154], 1);
  }

  if ((m2 - 104u <= 15) & (m7 - 191u <= 15) & (m20 - 186u <= 15)) {
    m2 -= 2, m7 += 2;
    atomicAdd(&fired[155], 1);
  }

  if ((m1 - 104u <= 15) & (m6 - 85u <= 15) & (m3 - 106u <= 15)) {
    m1 -= 1, m6 += 1;
    atomicAdd(&fired[156], 1);
  }

  if ((m20 - 178u <= 15) & (m17 - 128u <= 15) & (m23 - 179u <= 15)) {
    m20 -= 2, m17 += 2;
    atomicAdd(&fired[157], 1);
  }

  if ((m10 - 105u <= 15) & (m5 - 66u <= 15) & (m2 - 102u <= 15)) {
    m10 -= 1, m5 += 1;
    atomicAdd(&fired[158], 1);
  }

  if ((m7 == 203) & (m17 == 141) & (m10 == 118)) {
    m7 -= 2, m17 += 2;
    atomicAdd(&fired[159], 1);
  }

  if ((m9 - 96u <= 15) & (m18 - 56u <= 15) & (m16 - 193u <= 15)) {
    m9 -= 3, m18 += 3;
    atomicAdd(&fired[160], 1);
  }

  if ((m0 - 126u <= 15) & (m10 - 115u <= 15) & (m19 - 153u <= 15)) {
    m0 -= 2, m10 += 2;
    atomicAdd(&fired[161], 1);
  }

  if ((m19 - 158u <= 15) & (m8 - 76u <= 15) & (m23 - 186u <= 15)) {
    m19 -= 1, m8 += 1;
    atomicAdd(&fired[162], 1);
  }

  if ((m10 - 105u <= 15) & (m23 - 180u <= 15) & (m9 - 93u <= 15)) {
    m10 -= 3, m23 += 3;
    atomicAdd(&fired[163], 1);
  }

  if ((m7 - 193u <= 15) & (m21 - 100u <= 15) & (m17 - 140u <= 15)) {
    m7 -= 2, m21 += 2;
    atomicAdd(&fired[164], 1);
  }

  if ((m5 - 63u <= 15) & (m18 - 67u <= 15) & (m21 - 116u <= 15)) {
    m5 -= 1, m18 += 1;
    atomicAdd(&fired[165], 1);
  }

  if ((m2 - 103u <= 15) & (m15 - 106u <= 15) & (m4 - 68u <= 15)) {
    m2 -= 1, m15 += 1;
    atomicAdd(&fired[166], 1);
  }

  if ((m12 == 65) & (m4 == 78) & (m17 == 143)) {
    m12 -= 1, m4 += 1;
    atomicAdd(&fired[167], 1);
  }

  if ((m8 - 81u <= 15) & (m5 - 69u <= 15) & (m6 - 79u <= 15)) {
    m8 -= 1, m5 += 1;
    atomicAdd(&fired[168], 1);
  }

  if ((m17 - 141u <= 15) & (m8 - 76u <= 15) & (m12 - 62u <= 15)) {
    m17 -= 3, m8 += 3;
    atomicAdd(&fired[169], 1);
  }

  if ((m5 - 60u <= 15) & (m7 - 198u <= 15) & (m6 - 83u <= 15)) {
    m5 -= 1, m7 += 1;
    atomicAdd(&fired[170], 1);
  }

  if ((m8 - 80u <= 15) & (m13 - 68u <= 15) & (m5 - 60u <= 15)) {
    m8 -= 3, m13 += 3;
    atomicAdd(&fired[171], 1);
  }

  if ((m7 - 189u <= 15) & (m21 - 113u <= 15) & (m12 - 59u <= 15)) {
    m7 -= 3, m21 += 3;
    atomicAdd(&fired[172], 1);
  }

  if ((m18 - 63u <= 15) & (m21 - 118u <= 15) & (m1 - 89u <= 15)) {
    m18 -= 2, m21 += 2;
    atomicAdd(&fired[173], 1);
  }

  if ((m22 - 155u <= 15) & (m12 - 64u <= 15) & (m10 - 113u <= 15)) {
    m22 -= 2, m12 += 2;
    atomicAdd(&fired[174], 1);
  }

  if ((m5 == 69) & (m16 == 195) & (m15 == 122)) {
    m5 -= 2, m16 += 2;
    atomicAdd(&fired[175], 1);
  }

  if ((m19 - 151u <= 15) & (m17 - 132u <= 15) & (m11 - 69u <= 15)) {
    m19 -= 3, m17 += 3;
    atomicAdd(&fired[176], 1);
  }

  if ((m6 - 79u <= 15) & (m17 - 137u <= 15) & (m22 - 155u <= 15)) {
    m6 -= 1, m17 += 1;
    atomicAdd(&fired[177], 1);
  }

  if ((m18 - 67u <= 15) & (m17 - 132u <= 15) & (m14 - 101u <= 15)) {
    m18 -= 1, m17 += 1;
    atomicAdd(&fired[178], 1);
  }

  if ((m9 - 104u <= 15) & (m13 - 70u <= 15) & (m4 - 69u <= 15)) {
    m9 -= 1, m13 += 1;
    atomicAdd(&fired[179], 1);
  }

  if ((m5 - 52u <= 15) & (m20 - 181u <= 15) & (m6 - 89u <= 15)) {
    m5 -= 1, m20 += 1;
    atomicAdd(&fired[180], 1);
  }

  if ((m8 - 82u <= 15) & (m4 - 77u <= 15) & (m2 - 102u <= 15)) {
    m8 -= 2, m4 += 2;
    atomicAdd(&fired[181], 1);
  }

  if ((m20 - 171u <= 15) & (m17 - 134u <= 15) & (m5 - 53u <= 15)) {
    m20 -= 3, m17 += 3;
    atomicAdd(&fired[182], 1);
  }

  if ((m15 == 122) & (m12 == 66) & (m22 == 162)) {
    m15 -= 2, m12 += 2;
    atomicAdd(&fired[183], 1);
  }

  if ((m15 - 106u <= 15) & (m13 - 68u <= 15) & (m18 - 68u <= 15)) {
    m15 -= 3, m13 += 3;
    atomicAdd(&fired[184], 1);
  }

  if ((m4 - 74u <= 15) & (m16 - 188u <= 15) & (m10 - 106u <= 15)) {
    m4 -= 1, m16 += 1;
    atomicAdd(&fired[185], 1);
  }

  if ((m22 - 149u <= 15) & (m23 - 193u <= 15) & (m0 - 127u <= 15)) {
    m22 -= 2, m23 += 2;
    atomicAdd(&fired[186], 1);
  }

  if ((m23 - 189u <= 15) & (m6 - 81u <= 15) & (m5 - 56u <= 15)) {
    m23 -= 2, m6 += 2;
    atomicAdd(&fired[187], 1);
  }

  if ((m7 - 186u <= 15) & (m12 - 59u <= 15) & (m14 - 108u <= 15)) {
    m7 -= 2, m12 += 2;
    atomicAdd(&fired[188], 1);
  }

  if ((m19 - 148u <= 15) & (m1 - 100u <= 15) & (m11 - 78u <= 15)) {
    m19 -= 2, m1 += 2;
    atomicAdd(&fired[189], 1);
  }

  if ((m16 - 194u <= 15) & (m18 - 67u <= 15) & (m1 - 92u <= 15)) {
    m16 -= 1, m18 += 1;
    atomicAdd(&fired[190], 1);
  }

  if ((m6 == 95) & (m3 == 113) & (m18 == 71)) {
    m6 -= 2, m3 += 2;
    atomicAdd(&fired[191], 1);
  }

  if ((m4 - 71u <= 15) & (m20 - 182u <= 15) & (m11 - 64u <= 15)) {
    m4 -= 1, m20 += 1;
    atomicAdd(&fired[192], 1);
  }

  if ((m3 - 106u <= 15) & (m18 - 71u <= 15) & (m17 - 146u <= 15)) {
    m3 -= 1, m18 += 1;
    atomicAdd(&fired[193], 1);
  }

  if ((m10 - 116u <= 15) & (m13 - 70u <= 15) & (m9 - 90u <= 15)) {
    m10 -= 3, m13 += 3;
    atomicAdd(&fired[194], 1);
  }

  if ((m16 - 196u <= 15) & (m2 - 108u <= 15) & (m23 - 188u <= 15)) {
    m16 -= 3, m2 += 3;
    atomicAdd(&fired[195], 1);
  }

  if ((m7 - 182u <= 15) & (m20 - 178u <= 15) & (m12 - 64u <= 15)) {
    m7 -= 3, m20 += 3;
    atomicAdd(&fired[196], 1);
  }

  if ((m9 - 96u <= 15) & (m16 - 192u <= 15) & (m4 - 70u <= 15)) {
    m9 -= 2, m16 += 2;
    atomicAdd(&fired[197], 1);
  }

  if ((m3 - 99u <= 15) & (m16 - 181u <= 15) & (m12 - 68u <= 15)) {
    m3 -= 3, m16 += 3;
    atomicAdd(&fired[198], 1);
  }

  if ((m6 == 93) & (m13 == 83) & (m8 == 80)) {
    m6 -= 1, m13 += 1;
    atomicAdd(&fired[199], 1);
  }

  if ((m1 - 101u <= 15) & (m11 - 64u <= 15) & (m6 - 81u <= 15)) {
    m1 -= 1, m11 += 1;
    atomicAdd(&fired[200], 1);
  }

  if ((m4 - 65u <= 15) & (m3 - 101u <= 15) & (m19 - 145u <= 15)) {
    m4 -= 3, m3 += 3;
    atomicAdd(&fired[201], 1);
  }

  if ((m16 - 197u <= 15) & (m5 - 54u <= 15) & (m15 - 115u <= 15)) {
    m16 -= 1, m5 += 1;
    atomicAdd(&fired[202], 1);
  }

  if ((m9 - 96u <= 15) & (m12 - 67u <= 15) & (m8 - 65u <= 15)) {
    m9 -= 2, m12 += 2;
    atomicAdd(&fired[203], 1);
  }

  if ((m0 - 133u <= 15) & (m12 - 62u <= 15) & (m6 - 90u <= 15)) {
    m0 -= 1, m12 += 1;
    atomicAdd(&fired[204], 1);
  }

  if ((m8 - 68u <= 15) & (m1 - 95u <= 15) & (m4 - 68u <= 15)) {
    m8 -= 2, m1 += 2;
    atomicAdd(&fired[205], 1);
  }

  if ((m1 - 94u <= 15) & (m23 - 187u <= 15) & (m10 - 109u <= 15)) {
    m1 -= 1, m23 += 1;
    atomicAdd(&fired[206], 1);
  }

  if ((m1 == 106) & (m22 == 160) & (m3 == 114)) {
    m1 -= 1, m22 += 1;
    atomicAdd(&fired[207], 1);
  }

  if ((m5 - 61u <= 15) & (m7 - 190u <= 15) & (m8 - 64u <= 15)) {
    m5 -= 3, m7 += 3;
    atomicAdd(&fired[208], 1);
  }

  if ((m1 - 97u <= 15) & (m12 - 64u <= 15) & (m14 - 108u <= 15)) {
    m1 -= 3, m12 += 3;
    atomicAdd(&fired[209], 1);
  }

  if ((m22 - 154u <= 15) & (m14 - 108u <= 15) & (m10 - 114u <= 15)) {
    m22 -= 2, m14 += 2;
    atomicAdd(&fired[210], 1);
  }

  if ((m3 - 107u <= 15) & (m13 - 69u <= 15) & (m15 - 103u <= 15)) {
    m3 -= 3, m13 += 3;
    atomicAdd(&fired[211], 1);
  }

  if ((m3 - 109u <= 15) & (m16 - 193u <= 15) & (m2 - 102u <= 15)) {
    m3 -= 1, m16 += 1;
    atomicAdd(&fired[212], 1);
  }

  if ((m16 - 193u <= 15) & (m6 - 82u <= 15) & (m2 - 116u <= 15)) {
    m16 -= 3, m6 += 3;
    atomicAdd(&fired[213], 1);
  }

  if ((m21 - 121u <= 15) & (m8 - 74u <= 15) & (m19 - 146u <= 15)) {
    m21 -= 1, m8 += 1;
    atomicAdd(&fired[214], 1);
  }

  if ((m13 == 87) & (m2 == 117) & (m0 == 132)) {
    m13 -= 3, m2 += 3;
    atomicAdd(&fired[215], 1);
  }

  if ((m20 - 174u <= 15) & (m3 - 99u <= 15) & (m2 - 107u <= 15)) {
    m20 -= 2, m3 += 2;
    atomicAdd(&fired[216], 1);
  }

  if ((m4 - 70u <= 15) & (m13 - 83u <= 15) & (m19 - 141u <= 15)) {
    m4 -= 2, m13 += 2;
    atomicAdd(&fired[217], 1);
  }

  if ((m0 - 128u <= 15) & (m12 - 62u <= 15) & (m8 - 75u <= 15)) {
    m0 -= 2, m12 += 2;
    atomicAdd(&fired[218], 1);
  }

  if ((m14 - 104u <= 15) & (m15 - 106u <= 15) & (m13 - 82u <= 15)) {
    m14 -= 1, m15 += 1;
    atomicAdd(&fired[219], 1);
  }

  if ((m20 - 181u <= 15) & (m15 - 117u <= 15) & (m7 - 186u <= 15)) {
    m20 -= 3, m15 += 3;
    atomicAdd(&fired[220], 1);
  }

  if ((m11 - 76u <= 15) & (m10 - 104u <= 15) & (m15 - 121u <= 15)) {
    m11 -= 3, m10 += 3;
    atomicAdd(&fired[221], 1);
  }

  if ((m21 - 121u <= 15) & (m2 - 107u <= 15) & (m11 - 68u <= 15)) {
    m21 -= 3, m2 += 3;
    atomicAdd(&fired[222], 1);
  }

  if ((m8 == 79) & (m14 == 116) & (m12 == 78)) {
    m8 -= 2, m14 += 2;
    atomicAdd(&fired[223], 1);
  }

  if ((m0 - 128u <= 15) & (m2 - 122u <= 15) & (m3 - 102u <= 15)) {
    m0 -= 2, m2 += 2;
    atomicAdd(&fired[224], 1);
  }

  if ((m17 - 136u <= 15) & (m18 - 72u <= 15) & (m20 - 179u <= 15)) {
    m17 -= 2, m18 += 2;
    atomicAdd(&fired[225], 1);
  }

  if ((m22 - 148u <= 15) & (m6 - 94u <= 15) & (m18 - 71u <= 15)) {
    m22 -= 1, m6 += 1;
    atomicAdd(&fired[226], 1);
  }

  if ((m23 - 189u <= 15) & (m19 - 145u <= 15) & (m17 - 143u <= 15)) {
    m23 -= 2, m19 += 2;
    atomicAdd(&fired[227], 1);
  }

  if ((m10 - 115u <= 15) & (m22 - 146u <= 15) & (m20 - 178u <= 15)) {
    m10 -= 1, m22 += 1;
    atomicAdd(&fired[228], 1);
  }

  if ((m3 - 103u <= 15) & (m11 - 67u <= 15) & (m14 - 115u <= 15)) {
    m3 -= 1, m11 += 1;
    atomicAdd(&fired[229], 1);
  }

  if ((m12 - 72u <= 15) & (m11 - 67u <= 15) & (m23 - 183u <= 15)) {
    m12 -= 2, m11 += 2;
    atomicAdd(&fired[230], 1);
  }

  if ((m17 == 146) & (m0 == 128) & (m6 == 96)) {
    m17 -= 1, m0 += 1;
    atomicAdd(&fired[231], 1);
  }

  if ((m13 - 75u <= 15) & (m22 - 159u <= 15) & (m1 - 88u <= 15)) {
    m13 -= 1, m22 += 1;
    atomicAdd(&fired[232], 1);
  }

  if ((m19 - 151u <= 15) & (m12 - 64u <= 15) & (m7 - 184u <= 15)) {
    m19 -= 3, m12 += 3;
    atomicAdd(&fired[233], 1);
  }

  if ((m11 - 73u <= 15) & (m15 - 120u <= 15) & (m14 - 117u <= 15)) {
    m11 -= 3, m15 += 3;
    atomicAdd(&fired[234], 1);
  }

  if ((m16 - 186u <= 15) & (m5 - 64u <= 15) & (m10 - 111u <= 15)) {
    m16 -= 2, m5 += 2;
    atomicAdd(&fired[235], 1);
  }

  if ((m3 - 100u <= 15) & (m2 - 122u <= 15) & (m4 - 65u <= 15)) {
    m3 -= 3, m2 += 3;
    atomicAdd(&fired[236], 1);
  }

  if ((m7 - 184u <= 15) & (m16 - 190u <= 15) & (m0 - 127u <= 15)) {
    m7 -= 1, m16 += 1;
    atomicAdd(&fired[237], 1);
  }

  if ((m10 - 104u <= 15) & (m3 - 104u <= 15) & (m21 - 116u <= 15)) {
    m10 -= 1, m3 += 1;
    atomicAdd(&fired[238], 1);
  }

  if ((m16 == 195) & (m0 == 129) & (m21 == 118)) {
    m16 -= 1, m0 += 1;
    atomicAdd(&fired[239], 1);
  }

  if ((m23 - 192u <= 15) & (m21 - 105u <= 15) & (m14 - 104u <= 15)) {
    m23 -= 3, m21 += 3;
    atomicAdd(&fired[240], 1);
  }

  if ((m19 - 145u <= 15) & (m5 - 55u <= 15) & (m9 - 86u <= 15)) {
    m19 -= 2, m5 += 2;
    atomicAdd(&fired[241], 1);
  }

  if ((m20 - 172u <= 15) & (m9 - 92u <= 15) & (m0 - 116u <= 15)) {
    m20 -= 3, m9 += 3;
    atomicAdd(&fired[242], 1);
  }

  if ((m17 - 138u <= 15) & (m3 - 100u <= 15) & (m7 - 180u <= 15)) {
    m17 -= 3, m3 += 3;
    atomicAdd(&fired[243], 1);
  }

  if ((m5 - 68u <= 15) & (m8 - 63u <= 15) & (m17 - 134u <= 15)) {
    m5 -= 3, m8 += 3;
    atomicAdd(&fired[244], 1);
  }

  if ((m17 - 134u <= 15) & (m18 - 63u <= 15) & (m7 - 182u <= 15)) {
    m17 -= 2, m18 += 2;
    atomicAdd(&fired[245], 1);
  }

  if ((m22 - 149u <= 15) & (m3 - 108u <= 15) & (m7 - 194u <= 15)) {
    m22 -= 3, m3 += 3;
    atomicAdd(&fired[246], 1);
  }

  if ((m21 == 121) & (m19 == 151) & (m4 == 74)) {
    m21 -= 2, m19 += 2;
    atomicAdd(&fired[247], 1);
  }

  if ((m14 - 103u <= 15) & (m7 - 190u <= 15) & (m10 - 101u <= 15)) {
    m14 -= 1, m7 += 1;
    atomicAdd(&fired[248], 1);
  }

  if ((m20 - 169u <= 15) & (m7 - 195u <= 15) & (m0 - 130u <= 15)) {
    m20 -= 1, m7 += 1;
    atomicAdd(&fired[249], 1);
  }

  if ((m21 - 114u <= 15) & (m23 - 185u <= 15) & (m22 - 150u <= 15)) {
    m21 -= 1, m23 += 1;
    atomicAdd(&fired[250], 1);
  }

  if ((m2 - 125u <= 15) & (m4 - 62u <= 15) & (m21 - 108u <= 15)) {
    m2 -= 2, m4 += 2;
    atomicAdd(&fired[251], 1);
  }

  next[0 * threads + id] = m0;
  next[1 * threads + id] = m1;
  next[2 * threads + id] = m2;
  next[3 * threads + id] = m3;
  next[4 * threads + id] = m4;
  next[5 * threads + id] = m5;
  next[6 * threads + id] = m6;
  next[7 * threads + id] = m7;
  next[8 * threads + id] = m8;
  next[9 * threads + id] = m9;
  next[10 * threads + id] = m10;
  next[11 * threads + id] = m11;
  next[12 * threads + id] = m12;
  next[13 * threads + id] = m13;
  next[14 * threads + id] = m14;
  next[15 * threads + id] = m15;
  next[16 * threads + id] = m16;
  next[17 * threads + id] = m17;
  next[18 * threads + id] = m18;
  next[19 * threads + id] = m19;
  next[20 * threads + id] = m20;
  next[21 * threads + id] = m21;
  next[22 * threads + id] = m22;
  next[23 * threads + id] = m23;
}
