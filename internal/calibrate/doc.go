// Package calibrate measures a GPU with microbenchmarks and describes it as a machine for
// the simulator. The microbenchmarks are PTX that it writes itself and that is valid for
// all devices from sm_30 on; it runs them on a cuda.Device.
//
// There are three kinds of numbers. Some are seen as they are: how long a chain of dependent
// instructions takes, or at which stride all lanes want one bank. Others explain what is seen,
// by the rules of the simulator (docs/machine-model): pipelines, and sets and ways of
// caches. The rest is chosen so that a microbenchmark takes as long on the simulated machine as it
// did on the device. What the device does not show comes from its attributes or from a default,
// and every number says where it is from.
//
// The evidence for all of this is that a simulated machine is found again: the tests calibrate
// stand-ins of random machines and expect their numbers.
//
// calibrate must not import the simulator, which it is given as a device, nor methods or
// drivers.
package calibrate
