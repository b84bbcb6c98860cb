// Floating-point operations in a mode: a value of MXCSR that says how they round and whether they read
// subnormal numbers as zeros. Sources are a (SI), b (DX) and c (CX), the result is d (DI).

// FOUR applies a macro to the four registers of Words, EIGHT to the eight of a Vector.

#define FOUR(M, OP) \
	M(OP, 0); \
	M(OP, 32); \
	M(OP, 64); \
	M(OP, 96)

#define EIGHT(M, OP) \
	FOUR(M, OP); \
	M(OP, 128); \
	M(OP, 160); \
	M(OP, 192); \
	M(OP, 224)

// ENTER and LEAVE change MXCSR and change it back.

#define ENTER(MODE) \
	STMXCSR old-8(SP); \
	LDMXCSR MODE

#define LEAVE \
	LDMXCSR old-8(SP); \
	VZEROUPPER; \
	RET

#define THREE \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ c+24(FP), CX

#define TWO \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI

// The canonical NaN is in Y14.

#define NAN32 \
	VPCMPEQD Y14, Y14, Y14; \
	VPSRLD $1, Y14, Y14

#define NAN64 \
	VPCMPEQD Y14, Y14, Y14; \
	VPSRLQ $1, Y14, Y14

#define RESULT32(AT) \
	VCMPPS $3, Y0, Y0, Y1; \
	VBLENDVPS Y1, Y14, Y0, Y0; \
	VMOVUPS Y0, AT(DI)

#define RESULT64(AT) \
	VCMPPD $3, Y0, Y0, Y1; \
	VBLENDVPD Y1, Y14, Y0, Y0; \
	VMOVUPD Y0, AT(DI)

#define BINARY32(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	RESULT32(AT)

#define BINARY64(OP, AT) \
	VMOVUPD AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	RESULT64(AT)

#define FUSED32(OP, AT) \
	VMOVUPS AT(CX), Y0; \
	VMOVUPS AT(SI), Y1; \
	OP AT(DX), Y1, Y0; \
	RESULT32(AT)

#define FUSED64(OP, AT) \
	VMOVUPD AT(CX), Y0; \
	VMOVUPD AT(SI), Y1; \
	VFMADD231PD AT(DX), Y1, Y0; \
	RESULT64(AT)

#define ROOT32(OP, AT) \
	VSQRTPS AT(SI), Y0; \
	RESULT32(AT)

#define ROOT64(OP, AT) \
	VSQRTPD AT(SI), Y0; \
	RESULT64(AT)

#define ROUND32(OP, AT) \
	VROUNDPS $4, AT(SI), Y0; \
	RESULT32(AT)

#define ROUND64(OP, AT) \
	VROUNDPD $4, AT(SI), Y0; \
	RESULT64(AT)

// QUOTIENT divides by an infinity where the magnitude of the divisor is more than that in Y13; the sign
// is in Y12 and the infinity in Y11.
#define QUOTIENT(OP, AT) \
	VMOVUPS AT(DX), Y2; \
	VANDNPS Y2, Y12, Y3; \
	VCMPPS $0x1e, Y13, Y3, Y3; \
	VANDPS Y12, Y2, Y4; \
	VORPS Y11, Y4, Y4; \
	VBLENDVPS Y3, Y4, Y2, Y2; \
	VMOVUPS AT(SI), Y0; \
	VDIVPS Y2, Y0, Y0; \
	RESULT32(AT)

// INMODE32 and INMODE64 are the bodies of functions of d, a, b, c and a mode.

#define INMODE32(M, OP) \
	THREE; \
	NAN32; \
	ENTER(mode+32(FP)); \
	FOUR(M, OP); \
	LEAVE

#define INMODE64(M, OP) \
	THREE; \
	NAN64; \
	ENTER(mode+32(FP)); \
	EIGHT(M, OP); \
	LEAVE

// COMPARED gathers in R8 the signs of the lanes of eight words.
#define COMPARED(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	VCMPPS OP, AT(DX), Y0, Y0; \
	VMOVMSKPS Y0, AX; \
	SHLQ $(AT/4), AX; \
	ORQ AX, R8

#define COMPARE32(OP) \
	MOVQ a+0(FP), SI; \
	MOVQ b+8(FP), DX; \
	XORL R8, R8; \
	ENTER(mode+16(FP)); \
	FOUR(COMPARED, OP); \
	MOVL R8, ret+24(FP); \
	LEAVE

// What is done to results in place.

// FLUSH clears what the mask in Y14 does not have where the bits of Y15 are zero.
#define FLUSH(EQUAL, AT) \
	VMOVDQU AT(DI), Y0; \
	VPAND Y15, Y0, Y1; \
	EQUAL Y13, Y1, Y1; \
	VPANDN Y1, Y14, Y1; \
	VPANDN Y0, Y1, Y0; \
	VMOVDQU Y0, AT(DI)

// SATURATE32 and SATURATE16 clamp to [+0, 1]: infinity is in Y15, one in Y14, zero in Y13.

#define SATURATE32(OP, AT) \
	VMOVDQU AT(DI), Y0; \
	VPCMPGTD Y15, Y0, Y1; \
	VPANDN Y0, Y1, Y0; \
	VPMAXSD Y13, Y0, Y0; \
	VPMINSD Y14, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

#define SATURATE16(OP, AT) \
	VMOVDQU AT(DI), Y0; \
	VPCMPGTW Y15, Y0, Y1; \
	VPANDN Y0, Y1, Y0; \
	VPMAXSW Y13, Y0, Y0; \
	VPMINSW Y14, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

#define POSITIVE16(OP, AT) \
	VMOVDQU AT(DI), Y0; \
	VPMAXSW Y13, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// Half precision. A Words of pairs is 64 numbers, eight in every 16 bytes. SIXTEEN and EIGHTH apply a
// macro to these and to the 32 bytes AT of single precision in the frame.

#define HALVES(M) \
	M(0, 0); \
	M(16, 32); \
	M(32, 64); \
	M(48, 96); \
	M(64, 128); \
	M(80, 160); \
	M(96, 192); \
	M(112, 224)

// FROMF16 and FROMBF16 widen the eight numbers at FROM. What is less than Y13 in magnitude becomes
// zero; the sign is in Y12.

#define FROMF16(FROM, TO) \
	VCVTPH2PS FROM, TO; \
	VANDNPS TO, Y12, Y8; \
	VCMPPS $0x11, Y13, Y8, Y8; \
	VANDNPS Y8, Y12, Y8; \
	VANDNPS TO, Y8, TO

#define FROMBF16(FROM, TO) \
	VPMOVZXWD FROM, TO; \
	VPSLLD $16, TO, TO

// OPERANDS computes a*b + c of eight numbers in the mode that is set.

#define OPERANDS(FROM, AT) \
	FROM(AT(SI), Y1); \
	FROM(AT(DX), Y2); \
	FROM(AT(CX), Y0); \
	VFMADD231PS Y2, Y1, Y0

// BELOW leaves the result rounded down in the frame.
#define BELOWF16(AT, WIDE) \
	OPERANDS(FROMF16, AT); \
	VMOVUPS Y0, below-(264-WIDE)(SP)

#define BELOWBF16(AT, WIDE) \
	OPERANDS(FROMBF16, AT); \
	VMOVUPS Y0, below-(264-WIDE)(SP)

// ODD leaves the result rounded up in Y0, or that rounded down if this one is odd: together that is rounded to odd,
// which can be rounded again.
#define ODD(WIDE) \
	VMOVUPS below-(264-WIDE)(SP), Y1; \
	VPSLLD $31, Y1, Y2; \
	VBLENDVPS Y2, Y1, Y0, Y0

// TOF16 and TOBF16 round to nearest; NaN are made canonical by the mask in Y1, the NaN in Y14.

#define NARROWF16(MODE) \
	VCMPPS $3, Y0, Y0, Y1; \
	VCVTPS2PH MODE, Y0, X0; \
	VEXTRACTI128 $1, Y1, X2; \
	VPACKSSDW X2, X1, X1; \
	VPBLENDVB X1, X14, X0, X0

// NARROWBF16 adds what carries into the upper half if that must be rounded up: Y11 is 0x7fff, Y10 is one.
#define NARROWBF16 \
	VCMPPS $3, Y0, Y0, Y1; \
	VPSRLD $16, Y0, Y2; \
	VPAND Y10, Y2, Y2; \
	VPADDD Y11, Y2, Y2; \
	VPADDD Y2, Y0, Y0; \
	VPSRLD $16, Y0, Y0; \
	VBLENDVPS Y1, Y14, Y0, Y0

#define PACK \
	VEXTRACTI128 $1, Y0, X2; \
	VPACKUSDW X2, X0, X0

#define ABOVEF16(AT, WIDE) \
	OPERANDS(FROMF16, AT); \
	ODD(WIDE); \
	NARROWF16($0); \
	VMOVDQU X0, AT(DI)

#define ABOVEBF16(AT, WIDE) \
	OPERANDS(FROMBF16, AT); \
	ODD(WIDE); \
	NARROWBF16; \
	PACK; \
	VMOVDQU X0, AT(DI)

// Conversions. The numbers of half precision are in the lower halves of words.

#define TOHALF(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	NARROWF16($4); \
	VPMOVZXWD X0, Y0; \
	VMOVDQU Y0, AT(DI)

#define TOBRAIN(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	NARROWBF16; \
	VMOVDQU Y0, AT(DI)

#define FROMHALF(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPSRLD X15, Y0, Y0; \
	VPAND Y13, Y0, Y0; \
	PACK; \
	VCVTPH2PS X0, Y0; \
	RESULT32(AT)

#define FROMBRAIN(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPSRLD X15, Y0, Y0; \
	VPSLLD $16, Y0, Y0; \
	RESULT32(AT)

// WIDEN makes doubles of four words, NARROW the reverse.

#define WIDEN(FROM, AT) \
	VCVTPS2PD FROM(SI), Y0; \
	VMOVUPD Y0, AT(DI)

#define NARROW(TO, AT) \
	VCVTPD2PSY AT(SI), X0; \
	VCMPPS $3, X0, X0, X1; \
	VBLENDVPS X1, X14, X0, X0; \
	VMOVUPS X0, TO(DI)

// NARROWODD sets the last bit where the result, rounded to zero, is not exact.
#define NARROWODD(TO, AT) \
	VMOVUPD AT(SI), Y2; \
	VCVTPD2PSY Y2, X0; \
	VCVTPS2PD X0, Y3; \
	VCMPPD $0x0c, Y2, Y3, Y3; \
	VEXTRACTF128 $1, Y3, X4; \
	VSHUFPS $0x88, X4, X3, X3; \
	VPSRLD $31, X3, X3; \
	VPOR X3, X0, X0; \
	VMOVUPS X0, TO(DI)

#define QUARTERS(M) \
	M(0, 0); \
	M(16, 32); \
	M(32, 64); \
	M(48, 96); \
	M(64, 128); \
	M(80, 160); \
	M(96, 192); \
	M(112, 224)

// INTEGER32 rounds to zero and keeps the lower halves of integers of less than 2^51 in magnitude, after
// clamping to the numbers in Y15 and Y14. NaN becomes that in Y11. Y13 is 1.5 * 2^52, Y12 the bits that results have.
#define INTEGER32(TO, AT) \
	VMOVUPD AT(SI), Y0; \
	VCMPPD $3, Y0, Y0, Y1; \
	VBLENDVPD Y1, Y11, Y0, Y0; \
	VMAXPD Y15, Y0, Y0; \
	VMINPD Y14, Y0, Y0; \
	VADDPD Y13, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VSHUFPS $0x88, X1, X0, X0; \
	VPAND X12, X0, X0; \
	VMOVUPS X0, TO(DI)

// Approximations, which work on doubles.

#define CONSTANT(AT, Y) VBROADCASTSD ·constants+AT(SB), Y

// CLAMPED copies x (SI) to Y0, no less than Y15 and no more than Y14 unless it is NaN.
#define CLAMPED(AT) \
	VMOVUPD AT(SI), Y0; \
	VMAXPD Y0, Y15, Y0; \
	VMINPD Y0, Y14, Y0

// SPLIT makes of Y0 its whole part, 2 to the power of it in Y2, and the rest times the logarithm of 2 in Y0. Y13 is that.
// Y12 is 1023 in integers of 64 bits.
#define SPLIT \
	VROUNDPD $8, Y0, Y1; \
	VCVTPD2DQY Y1, X2; \
	VPMOVSXDQ X2, Y2; \
	VPADDQ Y12, Y2, Y2; \
	VPSLLQ $52, Y2, Y2; \
	VSUBPD Y1, Y0, Y0; \
	VMULPD Y13, Y0, Y0

#define EXPPARTS(OP, AT) \
	CLAMPED(AT); \
	SPLIT; \
	VMOVUPD Y0, AT(DI); \
	VMOVUPD Y2, AT(DX)

#define EXPJOIN(OP, AT) \
	VMOVUPD AT(DX), Y2; \
	VMOVUPD AT(SI), Y0; \
	VMULPD AT(DI), Y0, Y0; \
	VMULPD Y2, Y0, Y0; \
	VADDPD Y0, Y2, Y0; \
	VMOVUPD Y0, AT(DI)

// TANHPARTS is EXPPARTS for twice the magnitude, or leaves that as it is and no power where it is small.
#define TANHPARTS(OP, AT) \
	VANDPD AT(SI), Y11, Y3; \
	VMINPD Y3, Y14, Y3; \
	VMULPD Y10, Y3, Y0; \
	SPLIT; \
	VCMPPD $0x11, Y9, Y3, Y4; \
	VADDPD Y3, Y3, Y3; \
	VBLENDVPD Y4, Y3, Y0, Y0; \
	VANDNPD Y2, Y4, Y2; \
	VMOVUPD Y0, AT(DI); \
	VMOVUPD Y2, AT(DX)

// TANHJOIN has x in CX; Y15 is one, Y14 two, Y13 zero, Y12 the sign.
#define TANHJOIN(OP, AT) \
	VMOVUPD AT(DX), Y2; \
	VMOVUPD AT(SI), Y0; \
	VMULPD AT(DI), Y0, Y0; \
	VMULPD Y2, Y0, Y1; \
	VADDPD Y1, Y2, Y1; \
	VSUBPD Y15, Y1, Y1; \
	VCMPPD $0, Y13, Y2, Y3; \
	VBLENDVPD Y3, Y0, Y1, Y0; \
	VADDPD Y14, Y0, Y1; \
	VDIVPD Y1, Y0, Y0; \
	VANDNPD Y0, Y12, Y0; \
	VANDPD AT(CX), Y12, Y1; \
	VORPD Y1, Y0, Y0; \
	VMOVUPD Y0, AT(DI)

// LOGPARTS makes (m-1)/(m+1) and the exponent e of x = m*2^e, m in [sqrt(1/2), sqrt(2)). Y15 has the bits of
// the fraction, Y14 is 1/2, Y13 one, Y12 sqrt(1/2), Y11 the number 2^52 and Y10 2^52 + 1022.
#define LOGPARTS(OP, AT) \
	VMOVUPD AT(SI), Y0; \
	VANDPD Y0, Y15, Y1; \
	VORPD Y14, Y1, Y1; \
	VPSRLQ $52, Y0, Y2; \
	VPOR Y11, Y2, Y2; \
	VSUBPD Y10, Y2, Y2; \
	VCMPPD $0x11, Y12, Y1, Y3; \
	VANDPD Y3, Y1, Y4; \
	VADDPD Y4, Y1, Y1; \
	VANDPD Y3, Y13, Y4; \
	VSUBPD Y4, Y2, Y2; \
	VSUBPD Y13, Y1, Y3; \
	VADDPD Y13, Y1, Y4; \
	VDIVPD Y4, Y3, Y3; \
	VMOVUPD Y3, AT(DI); \
	VMOVUPD Y2, AT(DX)

// LOGJOIN has x in CX and the polynomial in R8; Y15 is 2/ln(2), Y14 infinity, Y13 zero, Y12 NaN.
#define LOGJOIN(OP, AT) \
	VMULPD AT(DI), Y15, Y0; \
	VMULPD AT(R8), Y0, Y0; \
	VMOVUPD AT(DX), Y1; \
	VADDPD Y0, Y1, Y0; \
	VMOVUPD AT(CX), Y2; \
	VCMPPD $0, Y14, Y2, Y3; \
	VBLENDVPD Y3, Y14, Y0, Y0; \
	VCMPPD $0x19, Y13, Y2, Y3; \
	VBLENDVPD Y3, Y12, Y0, Y0; \
	VCMPPD $0, Y13, Y2, Y3; \
	VSUBPD Y14, Y13, Y4; \
	VBLENDVPD Y3, Y4, Y0, Y0; \
	VMOVUPD Y0, AT(DI)

#define INVERSEROOT(OP, AT) \
	VSQRTPD AT(SI), Y0; \
	VDIVPD Y0, Y15, Y0; \
	RESULT64(AT)

// SINEJOIN takes r*s from the series s (SI) for sines with the argument r (DI), or that (DX) for cosines in odd quarters
// (CX), and the negative in the third and fourth.
#define SINEJOIN(OP, AT) \
	VMOVDQU AT(CX), Y2; \
	VMOVUPD AT(DI), Y0; \
	VMULPD AT(SI), Y0, Y0; \
	VPSLLQ $63, Y2, Y3; \
	VMOVUPD AT(DX), Y1; \
	VBLENDVPD Y3, Y1, Y0, Y0; \
	VPSLLQ $62, Y2, Y2; \
	VPAND Y12, Y2, Y2; \
	VPXOR Y2, Y0, Y0; \
	VMOVUPD Y0, AT(DI)

// EXTREME takes the lesser of a (SI) and b (DX), the greater if Y12 has all bits set, in d (DI): the order of numbers is
// that of their bits as integers, of negative ones with all bits but the sign (Y14) complemented. Of a number and NaN, which
// is more than infinity (Y13), it takes the number, or NaN if Y11 has all bits set. Y15 is zero.
#define EXTREME(GREATER, AT) \
	VMOVDQU AT(SI), Y0; \
	VMOVDQU AT(DX), Y1; \
	GREATER Y0, Y15, Y2; \
	VPAND Y14, Y2, Y2; \
	VPXOR Y0, Y2, Y2; \
	GREATER Y1, Y15, Y3; \
	VPAND Y14, Y3, Y3; \
	VPXOR Y1, Y3, Y3; \
	GREATER Y2, Y3, Y2; \
	VPXOR Y12, Y2, Y2; \
	VPAND Y14, Y0, Y4; \
	GREATER Y13, Y4, Y4; \
	VPAND Y14, Y1, Y5; \
	GREATER Y13, Y5, Y5; \
	VPOR Y5, Y2, Y2; \
	VPANDN Y2, Y4, Y2; \
	VPBLENDVB Y2, Y0, Y1, Y1; \
	VPAND Y4, Y5, Y2; \
	VPOR Y4, Y5, Y3; \
	VPAND Y11, Y3, Y3; \
	VPOR Y3, Y2, Y2; \
	VPBLENDVB Y2, Y14, Y1, Y1; \
	VMOVDQU Y1, AT(DI)

#define EXTREMES(SHIFTS) \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	VBROADCASTSD infinity+24(FP), Y13; \
	VBROADCASTSD greater+32(FP), Y12; \
	VBROADCASTSD keep+40(FP), Y11; \
	VPCMPEQD Y14, Y14, Y14; \
	SHIFTS $1, Y14, Y14; \
	VPXOR Y15, Y15, Y15

#define HORNER(Y, AT) \
	VMULPD AT(SI), Y, Y; \
	VADDPD Y8, Y, Y

// SIGNEDS and UNSIGNEDS make doubles of four integers, without the upper bits, as many as X15 says.

#define SIGNEDS(FROM, AT) \
	VMOVDQU FROM(SI), X0; \
	VPSLLD X15, X0, X0; \
	VPSRAD X15, X0, X0; \
	VCVTDQ2PD X0, Y0; \
	VMOVUPD Y0, AT(DI)

// UNSIGNEDS has 2^52 in Y14.
#define UNSIGNEDS(FROM, AT) \
	VMOVDQU FROM(SI), X0; \
	VPSLLD X15, X0, X0; \
	VPSRLD X15, X0, X0; \
	VPMOVZXDQ X0, Y0; \
	VPOR Y14, Y0, Y0; \
	VSUBPD Y14, Y0, Y0; \
	VMOVUPD Y0, AT(DI)
