// sradCoefficient, clamping by selection instead of branches, as compilers for GPUs
// turn them into.
#define SELECT
#define sradCoefficient sradSelect
#include "../sradCoefficient/sradCoefficient.cl"
