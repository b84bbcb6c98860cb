// A vector is eight registers of four lanes. EACH applies a macro to each of
// them, whose last argument is the offset in bytes.

#define EACH(M, OP) \
	M(OP, 0); \
	M(OP, 32); \
	M(OP, 64); \
	M(OP, 96); \
	M(OP, 128); \
	M(OP, 160); \
	M(OP, 192); \
	M(OP, 224)

#define ARGS \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ c+24(FP), CX

// LOW keeps the lower halves of lanes in Y15, ALL whole lanes.

#define ALL \
	VPCMPEQD Y15, Y15, Y15

#define LOW \
	ALL; \
	VPSRLQ $32, Y15, Y15

#define STORE(AT) \
	VPAND Y15, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

#define UNARY(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	OP; \
	STORE(AT)

#define BINARY(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	STORE(AT)

// SHIFT has amounts in the lower halves.
#define SHIFT(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPAND AT(DX), Y14, Y1; \
	OP Y1, Y0, Y0; \
	STORE(AT)

// PRODUCT adds the product in whole lanes to c.
#define PRODUCT(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	VPADDQ AT(CX), Y0, Y0; \
	STORE(AT)

// The canonical NaN is in Y14.

#define NAN32 \
	LOW; \
	VPSRLQ $1, Y15, Y14

#define NAN64 \
	ALL; \
	VPSRLQ $1, Y15, Y14

#define CANON32 \
	VCMPPS $3, Y0, Y0, Y1; \
	VBLENDVPS Y1, Y14, Y0, Y0

#define CANON64 \
	VCMPPD $3, Y0, Y0, Y1; \
	VBLENDVPD Y1, Y14, Y0, Y0

#define FLOAT32(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	CANON32; \
	STORE(AT)

#define FLOAT64(OP, AT) \
	VMOVUPD AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	CANON64; \
	STORE(AT)

#define ROOT32(OP, AT) \
	OP AT(SI), Y0; \
	CANON32; \
	STORE(AT)

#define FUSED32(OP, AT) \
	VMOVUPS AT(CX), Y0; \
	VMOVUPS AT(SI), Y1; \
	OP AT(DX), Y1, Y0; \
	CANON32; \
	STORE(AT)

#define FUSED64(OP, AT) \
	VMOVUPD AT(CX), Y0; \
	VMOVUPD AT(SI), Y1; \
	OP AT(DX), Y1, Y0; \
	CANON64; \
	STORE(AT)

// COMPUTE is the body of a Func.
#define COMPUTE(SETUP, M, OP) \
	ARGS; \
	SETUP; \
	EACH(M, OP); \
	VZEROUPPER; \
	RET

#define SHIFTS32 \
	LOW; \
	VMOVDQA Y15, Y14

#define SHIFTS64 \
	ALL; \
	VPSRLQ $32, Y15, Y14

// EXTEND copies the sign of a lower half into the upper one.
#define EXTEND \
	VPSRAD $31, Y0, Y1; \
	VPSLLQ $32, Y1, Y1; \
	VPBLENDD $0xaa, Y1, Y0, Y0

#define NOTHING

// Comparisons gather the signs of lanes in R8. Those of 32 bits compare lower
// halves, which HALF moves up.

#define HALF \
	VPSLLQ $32, Y0, Y0

#define SIGNS(AT) \
	VMOVMSKPD Y0, AX; \
	SHLQ $(AT/8), AX; \
	ORQ AX, R8

#define EQUAL32(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPCMPEQD AT(DX), Y0, Y0; \
	HALF; \
	SIGNS(AT)

#define EQUAL64(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPCMPEQQ AT(DX), Y0, Y0; \
	SIGNS(AT)

// LESS and MORE exchange the order of numbers by the mask in Y15 first, so that
// unsigned ones can be compared as signed.

#define BOTH(AT) \
	VPXOR AT(SI), Y15, Y0; \
	VPXOR AT(DX), Y15, Y1

#define LESS32(OP, AT) \
	BOTH(AT); \
	VPCMPGTD Y0, Y1, Y0; \
	HALF; \
	SIGNS(AT)

#define MORE32(OP, AT) \
	BOTH(AT); \
	VPCMPGTD Y1, Y0, Y0; \
	HALF; \
	SIGNS(AT)

#define LESS64(OP, AT) \
	BOTH(AT); \
	VPCMPGTQ Y0, Y1, Y0; \
	SIGNS(AT)

#define MORE64(OP, AT) \
	BOTH(AT); \
	VPCMPGTQ Y1, Y0, Y0; \
	SIGNS(AT)

#define FLOATS(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	VCMPPS OP, AT(DX), Y0, Y0; \
	HALF; \
	SIGNS(AT)

#define SIGNED \
	VPXOR Y15, Y15, Y15

#define UNSIGNED32 \
	ALL; \
	VPSLLD $31, Y15, Y15

#define UNSIGNED64 \
	ALL; \
	VPSLLQ $63, Y15, Y15

// COMPARE is the body of a TestFunc.
#define COMPARE(SETUP, M, OP, END) \
	MOVQ a+0(FP), SI; \
	MOVQ b+8(FP), DX; \
	XORL R8, R8; \
	SETUP; \
	EACH(M, OP); \
	END; \
	MOVL R8, ret+16(FP); \
	VZEROUPPER; \
	RET

#define INVERT NOTL R8

// ADDRESSES puts the sums of the lanes of base (SI) and offset (Y1) into addr
// (DX). It gathers in Y15 what tells that one of them lies before the start (Y2)
// of the memory, or after its last element (Y3), or is not aligned (Y4), and in Y8 the
// bits in which they differ from the first (Y7).

#define ADDRESSES(OP, AT) \
	VPADDQ AT(SI), Y1, Y0; \
	VMOVDQU Y0, AT(DX); \
	VPXOR Y0, Y7, Y9; \
	VPOR Y9, Y8, Y8; \
	VPSUBQ Y2, Y0, Y0; \
	VPAND Y4, Y0, Y5; \
	VPCMPGTQ Y3, Y0, Y6; \
	VPSRLQ $63, Y0, Y0; \
	VPOR Y5, Y15, Y15; \
	VPOR Y6, Y0, Y0; \
	VPOR Y0, Y15, Y15

#define CHECKED(FAIL) \
	MOVQ x+0(FP), DI; \
	MOVQ addr+8(FP), DX; \
	MOVQ base+16(FP), SI; \
	VPBROADCASTQ offset+24(FP), Y1; \
	VPBROADCASTQ start+40(FP), Y2; \
	VPBROADCASTQ last+48(FP), Y3; \
	VPBROADCASTQ align+56(FP), Y4; \
	VPBROADCASTQ (SI), Y7; \
	VPADDQ Y1, Y7, Y7; \
	VPXOR Y8, Y8, Y8; \
	VPXOR Y15, Y15, Y15; \
	EACH(ADDRESSES, NOTHING); \
	VEXTRACTI128 $1, Y8, X9; \
	VPOR X9, X8, X8; \
	VPSRLDQ $8, X8, X9; \
	VPOR X9, X8, X8; \
	VMOVQ X8, AX; \
	MOVQ AX, apart+64(FP); \
	VPTEST Y15, Y15; \
	VZEROUPPER; \
	JNZ FAIL; \
	MOVQ data+32(FP), R8; \
	SUBQ start+40(FP), R8

#define FOUR(M, OP, AT) \
	M(OP, AT); \
	M(OP, AT+8); \
	M(OP, AT+16); \
	M(OP, AT+24)

#define LOAD32(OP, AT) \
	MOVQ (AT)(DX), AX; \
	MOVL (R8)(AX*1), BX; \
	MOVQ BX, (AT)(DI)

#define LOAD64(OP, AT) \
	MOVQ (AT)(DX), AX; \
	MOVQ (R8)(AX*1), BX; \
	MOVQ BX, (AT)(DI)

#define STORE32(OP, AT) \
	MOVQ (AT)(DX), AX; \
	MOVL (AT)(DI), BX; \
	MOVL BX, (R8)(AX*1)

#define STORE64(OP, AT) \
	MOVQ (AT)(DX), AX; \
	MOVQ (AT)(DI), BX; \
	MOVQ BX, (R8)(AX*1)

#define LOADS32(OP, AT) FOUR(LOAD32, OP, AT)
#define LOADS64(OP, AT) FOUR(LOAD64, OP, AT)
#define STORES32(OP, AT) FOUR(STORE32, OP, AT)
#define STORES64(OP, AT) FOUR(STORE64, OP, AT)

// ACCESS is the body of an AccessFunc.
#define ACCESS(M) \
	CHECKED(fail); \
	EACH(M, NOTHING); \
	MOVB $1, ok+72(FP); \
	RET; \
fail: \
	MOVB $0, ok+72(FP); \
	RET
