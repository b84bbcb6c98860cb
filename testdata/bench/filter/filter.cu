extern "C" __attribute__((global)) void filter(const float *in, float *out, const float *w, int width, int height)
{
    int x = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
    int y = __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y();
    if (x >= width || y >= height)
        return;
    float sum = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++) {
#pragma unroll
        for (int dx = -1; dx <= 1; dx++) {
            int sx = x + dx, sy = y + dy;
            sx = sx < 0 ? 0 : sx >= width ? width - 1 : sx;
            sy = sy < 0 ? 0 : sy >= height ? height - 1 : sy;
            sum += w[(dy + 1) * 3 + dx + 1] * in[sy * width + sx];
        }
    }
    out[y * width + x] = sum;
}
