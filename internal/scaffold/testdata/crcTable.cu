// The CRC of messages that lie one behind the other, by a table.
#include "more.h"
__constant__ unsigned table[256];
__global__ void crcMessages(const unsigned char *bytes, const unsigned *offsets, unsigned *sums, unsigned messages, unsigned seed) {
  unsigned m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= messages) return;
  unsigned crc = ~seed;
  for (unsigned i = offsets[m]; i != offsets[m + 1]; i++) crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
  sums[m] = ~crc;
}
