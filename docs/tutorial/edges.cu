// Smooths an image and keeps its edges: every pixel becomes the weighted mean of the 5 x 5 pixels around it, of which
// those beyond the border are left out, and those that differ by more than 0.1 from the one in the middle.
extern "C" __global__ void smooth(const float *in, float *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	float middle = in[y * width + x];
	float sum = 0, weights = 0;
	for (int dy = -2; dy <= 2; dy++) {
		int v = y + dy;
		if (v < 0 || v >= height)
			continue;
		for (int dx = -2; dx <= 2; dx++) {
			int u = x + dx;
			if (u < 0 || u >= width)
				continue;
			float pixel = in[v * width + u];
			if (pixel > middle + 0.1f || pixel < middle - 0.1f)
				continue;
			float w = 1.0f / (1 + dx * dx + dy * dy);
			sum += w * pixel;
			weights += w;
		}
	}
	out[y * width + x] = sum / weights;
}
