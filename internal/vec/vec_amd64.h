// Words are four registers of eight lanes, a Vector is eight of four. EACH_WORD and EACH
// apply a macro to each of them, whose last argument is the offset in bytes.

#define EACH_WORD(M, OP) \
	M(OP, 0); \
	M(OP, 32); \
	M(OP, 64); \
	M(OP, 96)

#define EACH(M, OP) \
	EACH_WORD(M, OP); \
	M(OP, 128); \
	M(OP, 160); \
	M(OP, 192); \
	M(OP, 224)

#define ARGS \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ c+24(FP), CX

#define NOTHING

// WORDS is the body of a WordFunc, VECTORS that of a Func or WideningFunc.

#define WORDS(SETUP, M, OP) \
	ARGS; \
	SETUP; \
	EACH_WORD(M, OP); \
	VZEROUPPER; \
	RET

#define VECTORS(SETUP, M, OP) \
	ARGS; \
	SETUP; \
	EACH(M, OP); \
	VZEROUPPER; \
	RET

#define COPY(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VMOVDQU Y0, AT(DI)

#define BINARY(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// SHIFT has its operands the other way round.
#define SHIFT(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VMOVDQU AT(DX), Y1; \
	OP Y1, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// BYTE_AND_ONE sets Y6 to the lowest byte and Y7 to one, in every lane.
#define BYTE_AND_ONE \
	VPCMPEQD Y7, Y7, Y7; \
	VPSRLD $24, Y7, Y6; \
	VPSRLD $31, Y7, Y7

// FIELD32 shifts a down by b and keeps as many low bits as c says.
#define FIELD32(OP, AT) \
	VPAND AT(DX), Y6, Y1; \
	VPAND AT(CX), Y6, Y2; \
	VMOVDQU AT(SI), Y0; \
	VPSRLVD Y1, Y0, Y0; \
	VPSLLVD Y2, Y7, Y2; \
	VPSUBD Y7, Y2, Y2; \
	OP Y2, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// PRODUCT32 adds the product to c.
#define PRODUCT32(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	VPADDD AT(CX), Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// The canonical NaN is in Y14.

#define ONES(Y) \
	VPCMPEQD Y, Y, Y

#define NAN32 \
	ONES(Y14); \
	VPSRLD $1, Y14, Y14

#define NAN64 \
	ONES(Y14); \
	VPSRLQ $1, Y14, Y14

#define CANON32(AT) \
	VCMPPS $3, Y0, Y0, Y1; \
	VBLENDVPS Y1, Y14, Y0, Y0; \
	VMOVUPS Y0, AT(DI)

#define CANON64(AT) \
	VCMPPD $3, Y0, Y0, Y1; \
	VBLENDVPD Y1, Y14, Y0, Y0; \
	VMOVUPD Y0, AT(DI)

#define FLOAT32(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	CANON32(AT)

#define FLOAT64(OP, AT) \
	VMOVUPD AT(SI), Y0; \
	OP AT(DX), Y0, Y0; \
	CANON64(AT)

#define ROOT32(OP, AT) \
	OP AT(SI), Y0; \
	CANON32(AT)

#define FUSED32(OP, AT) \
	VMOVUPS AT(CX), Y0; \
	VMOVUPS AT(SI), Y1; \
	OP AT(DX), Y1, Y0; \
	CANON32(AT)

#define FUSED64(OP, AT) \
	VMOVUPD AT(CX), Y0; \
	VMOVUPD AT(SI), Y1; \
	OP AT(DX), Y1, Y0; \
	CANON64(AT)

// Of narrow sources each 16 bytes make 32 of the result.

#define EXTEND(OP, AT) \
	OP (AT/2)(SI), Y0; \
	VMOVDQU Y0, AT(DI)

#define WIDE(OP, AT) \
	VPMOVZXDQ (AT/2)(SI), Y0; \
	VPMOVZXDQ (AT/2)(DX), Y1; \
	OP Y1, Y0, Y0

#define WIDE_PRODUCT(OP, AT) \
	WIDE(OP, AT); \
	VMOVDQU Y0, AT(DI)

#define WIDE_SUM(OP, AT) \
	WIDE(OP, AT); \
	VPADDQ AT(CX), Y0, Y0; \
	VMOVDQU Y0, AT(DI)

#define WIDE_SHIFT(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPMOVZXDQ (AT/2)(DX), Y1; \
	OP Y1, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// LOWER_HALVES gathers the even words of 64 bytes.
#define LOWER_HALVES(OP, AT) \
	VMOVUPS (AT*2)(SI), Y0; \
	VSHUFPS $0x88, (AT*2+32)(SI), Y0, Y0; \
	VPERMQ $0xd8, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

// Comparisons gather the signs of lanes in R8.

#define SIGNS32(AT) \
	VMOVMSKPS Y0, AX; \
	SHLL $(AT/4), AX; \
	ORL AX, R8

#define SIGNS64(AT) \
	VMOVMSKPD Y0, AX; \
	SHLL $(AT/8), AX; \
	ORL AX, R8

#define EQUAL32(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPCMPEQD AT(DX), Y0, Y0; \
	SIGNS32(AT)

#define EQUAL64(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPCMPEQQ AT(DX), Y0, Y0; \
	SIGNS64(AT)

// LESS and MORE exchange the order of numbers by the mask in Y15 first, so that
// unsigned ones can be compared as signed.

#define BOTH(AT) \
	VPXOR AT(SI), Y15, Y0; \
	VPXOR AT(DX), Y15, Y1

#define LESS32(OP, AT) \
	BOTH(AT); \
	VPCMPGTD Y0, Y1, Y0; \
	SIGNS32(AT)

#define MORE32(OP, AT) \
	BOTH(AT); \
	VPCMPGTD Y1, Y0, Y0; \
	SIGNS32(AT)

#define LESS64(OP, AT) \
	BOTH(AT); \
	VPCMPGTQ Y0, Y1, Y0; \
	SIGNS64(AT)

#define MORE64(OP, AT) \
	BOTH(AT); \
	VPCMPGTQ Y1, Y0, Y0; \
	SIGNS64(AT)

#define FLOATS(OP, AT) \
	VMOVUPS AT(SI), Y0; \
	VCMPPS OP, AT(DX), Y0, Y0; \
	SIGNS32(AT)

#define SIGNED \
	VPXOR Y15, Y15, Y15

#define UNSIGNED32 \
	ONES(Y15); \
	VPSLLD $31, Y15, Y15

#define UNSIGNED64 \
	ONES(Y15); \
	VPSLLQ $63, Y15, Y15

// COMPARE is the body of a test: of Words with EACH_WORD, of Vectors with EACH.
#define COMPARE(ALL, SETUP, M, OP, END) \
	MOVQ a+0(FP), SI; \
	MOVQ b+8(FP), DX; \
	XORL R8, R8; \
	SETUP; \
	ALL(M, OP); \
	END; \
	MOVL R8, ret+16(FP); \
	VZEROUPPER; \
	RET

#define INVERT NOTL R8

// SELECT takes the lanes of a (SI) whose bits (Y1) are set in the mask (Y0), the others of b
// (DX), and moves the bits on.

#define SELECT(COMPARED, AT) \
	VPAND Y1, Y0, Y2; \
	COMPARED Y1, Y2, Y2; \
	VMOVDQU AT(DX), Y3; \
	VPBLENDVB Y2, AT(SI), Y3, Y3; \
	VMOVDQU Y3, AT(DI)

#define SELECT32(OP, AT) \
	SELECT(VPCMPEQD, AT); \
	VPSLLD $8, Y1, Y1

#define SELECT64(OP, AT) \
	SELECT(VPCMPEQQ, AT); \
	VPSLLQ $4, Y1, Y1

// ADDRESSES puts the sums of the lanes of base (SI) and offset (Y1) into addr
// (DX), and gathers in Y8 the bits in which they differ from the first (Y7).

#define ADDRESSES(OP, AT) \
	VPADDQ AT(SI), Y1, Y0; \
	VMOVDQU Y0, AT(DX); \
	VPXOR Y0, Y7, Y9; \
	VPOR Y9, Y8, Y8

// LIMITS gathers in Y15 what tells that one of the addresses (DX) lies before the start (Y2) of the
// memory, or after its last element (Y3), or is not aligned (Y4).

#define LIMITS(OP, AT) \
	VMOVDQU AT(DX), Y0; \
	VPSUBQ Y2, Y0, Y0; \
	VPAND Y4, Y0, Y5; \
	VPCMPGTQ Y3, Y0, Y6; \
	VPSRLQ $63, Y0, Y0; \
	VPOR Y5, Y15, Y15; \
	VPOR Y6, Y0, Y0; \
	VPOR Y0, Y15, Y15

// CHECKED leaves the distance of the data from their address in R8 and the bits in which
// addresses differ in AX. Mostly the first address with all of these bits cleared and with all of them set,
// between which the others lie, are those of elements; otherwise each address is looked at.
#define CHECKED(FAIL) \
	MOVQ x+0(FP), DI; \
	MOVQ addr+8(FP), DX; \
	MOVQ base+16(FP), SI; \
	VPBROADCASTQ offset+24(FP), Y1; \
	VPBROADCASTQ (SI), Y7; \
	VPADDQ Y1, Y7, Y7; \
	VPXOR Y8, Y8, Y8; \
	EACH(ADDRESSES, NOTHING); \
	VEXTRACTI128 $1, Y8, X9; \
	VPOR X9, X8, X8; \
	VPSRLDQ $8, X8, X9; \
	VPOR X9, X8, X8; \
	VMOVQ X8, AX; \
	MOVQ AX, addrDiff+64(FP); \
	MOVQ (DX), CX; \
	MOVQ start+40(FP), BX; \
	MOVQ last+48(FP), R9; \
	MOVQ CX, R10; \
	SUBQ BX, R10; \
	ORQ AX, R10; \
	TESTQ R10, align+56(FP); \
	JNZ limits; \
	MOVQ AX, R10; \
	NOTQ R10; \
	ANDQ CX, R10; \
	SUBQ BX, R10; \
	CMPQ R10, R9; \
	JHI limits; \
	ORQ AX, CX; \
	SUBQ BX, CX; \
	CMPQ CX, R9; \
	JLS inside; \
limits: \
	VPBROADCASTQ start+40(FP), Y2; \
	VPBROADCASTQ last+48(FP), Y3; \
	VPBROADCASTQ align+56(FP), Y4; \
	VPXOR Y15, Y15, Y15; \
	EACH(LIMITS, NOTHING); \
	VPTEST Y15, Y15; \
	JNZ FAIL; \
inside: \
	MOVQ data+32(FP), R8; \
	SUBQ BX, R8

// IN_A_ROW compares with addresses in a row (Y7), of which the next are STEP on (Y1).
#define IN_A_ROW(OP, AT) \
	VPXOR AT(DX), Y7, Y2; \
	VPOR Y2, Y8, Y8; \
	VPADDQ Y1, Y7, Y7

// ROW goes to OTHER unless the addresses are those of elements in a row. Then it leaves where the
// first element is in BX. FIRST are the distances of four elements from the first of them,
// and SPAN is the distance of the last lane's from the first.
#define ROW(FIRST, SPAN, OTHER) \
	MOVQ 248(DX), CX; \
	SUBQ (DX), CX; \
	CMPQ CX, $SPAN; \
	JNE OTHER; \
	VPADDQ FIRST<>(SB), Y7, Y7; \
	VPBROADCASTQ FIRST<>+32(SB), Y1; \
	VPXOR Y8, Y8, Y8; \
	EACH(IN_A_ROW, NOTHING); \
	VPTEST Y8, Y8; \
	JNZ OTHER; \
	MOVQ (DX), BX; \
	ADDQ R8, BX

#define FROM_MEMORY(OP, AT) \
	VMOVDQU AT(BX), Y0; \
	VMOVDQU Y0, AT(DI)

#define TO_MEMORY(OP, AT) \
	VMOVDQU AT(DI), Y0; \
	VMOVDQU Y0, AT(BX)

#define SAME(OP, AT) \
	VMOVDQU Y0, AT(DI)

#define FOUR(M, AT) \
	M(AT); \
	M(AT+8); \
	M(AT+16); \
	M(AT+24)

#define LOAD32(AT) \
	MOVQ (AT)(DX), AX; \
	MOVL (R8)(AX*1), BX; \
	MOVL BX, ((AT)/2)(DI)

#define LOAD64(AT) \
	MOVQ (AT)(DX), AX; \
	MOVQ (R8)(AX*1), BX; \
	MOVQ BX, (AT)(DI)

#define STORE32(AT) \
	MOVQ (AT)(DX), AX; \
	MOVL ((AT)/2)(DI), BX; \
	MOVL BX, (R8)(AX*1)

#define STORE64(AT) \
	MOVQ (AT)(DX), AX; \
	MOVQ (AT)(DI), BX; \
	MOVQ BX, (R8)(AX*1)

#define LOAD8(AT) \
	MOVQ (AT)(DX), AX; \
	MOVBLZX (R8)(AX*1), BX; \
	MOVL BX, ((AT)/2)(DI)

#define LOAD16(AT) \
	MOVQ (AT)(DX), AX; \
	MOVWLZX (R8)(AX*1), BX; \
	MOVL BX, ((AT)/2)(DI)

#define STORE8(AT) \
	MOVQ (AT)(DX), AX; \
	MOVL ((AT)/2)(DI), BX; \
	MOVB BX, (R8)(AX*1)

#define STORE16(AT) \
	MOVQ (AT)(DX), AX; \
	MOVL ((AT)/2)(DI), BX; \
	MOVW BX, (R8)(AX*1)

#define LOADS8(OP, AT) FOUR(LOAD8, AT)
#define LOADS16(OP, AT) FOUR(LOAD16, AT)
#define STORES8(OP, AT) FOUR(STORE8, AT)
#define STORES16(OP, AT) FOUR(STORE16, AT)
#define LOADS32(OP, AT) FOUR(LOAD32, AT)
#define LOADS64(OP, AT) FOUR(LOAD64, AT)
#define STORES32(OP, AT) FOUR(STORE32, AT)
#define STORES64(OP, AT) FOUR(STORE64, AT)

#define DONE \
	VZEROUPPER; \
	MOVB $1, ok+72(FP); \
	RET

#define FAILED \
	VZEROUPPER; \
	MOVB $0, ok+72(FP); \
	RET

// LOAD and STORE are the bodies of accesses: to one place, to elements in a row, which are
// copied together, or to any.

#define LOAD(ALL, FIRST, SPAN, BROADCAST, EVERY) \
	CHECKED(fail); \
	TESTQ AX, AX; \
	JNZ apart; \
	MOVQ (DX), AX; \
	BROADCAST (R8)(AX*1), Y0; \
	ALL(SAME, NOTHING); \
	DONE; \
apart: \
	ROW(FIRST, SPAN, any); \
	ALL(FROM_MEMORY, NOTHING); \
	DONE; \
any: \
	EACH(EVERY, NOTHING); \
	DONE; \
fail: \
	FAILED

#define STORE(ALL, FIRST, SPAN, EVERY) \
	CHECKED(fail); \
	ROW(FIRST, SPAN, any); \
	ALL(TO_MEMORY, NOTHING); \
	DONE; \
any: \
	EACH(EVERY, NOTHING); \
	DONE; \
fail: \
	FAILED

// ELEMENTS is the body of accesses to addresses that have been looked at.
#define ELEMENTS(EVERY) \
	MOVQ x+0(FP), DI; \
	MOVQ addr+8(FP), DX; \
	MOVQ data+16(FP), R8; \
	SUBQ start+24(FP), R8; \
	EACH(EVERY, NOTHING); \
	RET

// JOIN puts the low bits of a (SI), but those in Y13, beside b (DX).
#define JOIN(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPANDN Y0, Y13, Y0; \
	VMOVDQU AT(DX), Y1; \
	VPSLLD X15, Y1, Y1; \
	VPOR Y1, Y0, Y0; \
	VMOVDQU Y0, AT(DI)

#define PART(OP, AT) \
	VMOVDQU AT(SI), Y0; \
	VPSRLD X15, Y0, Y0; \
	VPANDN Y0, Y13, Y0; \
	VMOVDQU Y0, AT(DI)

// MARK sets in Y8 the bits whose numbers are in the lanes of a (SI) that the mask (Y0) has, shifted down by X3 and
// cut to the bits of Y4. The bits of lanes are in Y1, ones in Y5.
#define MARK(OP, AT) \
	VPAND Y1, Y0, Y2; \
	VPCMPEQQ Y1, Y2, Y2; \
	VPAND Y5, Y2, Y2; \
	VMOVDQU AT(SI), Y6; \
	VPSRLQ X3, Y6, Y6; \
	VPAND Y4, Y6, Y6; \
	VPSLLVQ Y6, Y2, Y2; \
	VPOR Y2, Y8, Y8; \
	VPSLLQ $4, Y1, Y1

// ABOVE leaves in Y13 all bits above as many as X says.
#define ABOVE(X) \
	VPCMPEQD Y13, Y13, Y13; \
	VPSLLD X, Y13, Y13

// PERMUTE picks bytes of a (SI) and b (DX) by the nibbles of c (CX): each becomes a byte of Y0, to which 8 is added in
// odd lanes (Y12), since VPSHUFB picks from the bytes of two lanes. The sign of a byte is copied where the fourth
// bit of its nibble is set. Y15 is 0x00ff00ff, Y14 0x0f0f0f0f, Y13 0x08080808, Y11 zero, Y10 the 16
// bits that c has.
#define PERMUTE(OP, AT) \
	VPAND AT(CX), Y10, Y0; \
	VPSLLD $8, Y0, Y1; \
	VPOR Y1, Y0, Y0; \
	VPAND Y15, Y0, Y0; \
	VPSLLD $4, Y0, Y1; \
	VPOR Y1, Y0, Y0; \
	VPAND Y14, Y0, Y0; \
	VPAND Y13, Y0, Y2; \
	VPCMPEQB Y13, Y2, Y2; \
	VPANDN Y0, Y13, Y0; \
	VPOR Y12, Y0, Y0; \
	VMOVDQU AT(SI), Y3; \
	VPUNPCKLDQ AT(DX), Y3, Y4; \
	VPUNPCKHDQ AT(DX), Y3, Y5; \
	VPSHUFB Y0, Y4, Y4; \
	VPSHUFB Y0, Y5, Y5; \
	VPBLENDD $0xcc, Y5, Y4, Y4; \
	VPCMPGTB Y4, Y11, Y5; \
	VPBLENDVB Y2, Y5, Y4, Y4; \
	VMOVDQU Y4, AT(DI)

// SHUFFLE gathers from a (SI) what eight lanes read: the lane that FROM leaves in Y6, or their own where that is
// out of range, which FROM leaves in Y7, or not in the mask (Y13). b is in DX, c in CX; the five bits of lanes are in Y14.
// It leaves in R9 which lanes are out of range.
#define SHUFFLE(FROM, AT) \
	VMOVDQU lanes<>+AT(SB), Y0; \
	VPAND AT(DX), Y14, Y1; \
	VMOVDQU AT(CX), Y3; \
	VPAND Y3, Y14, Y2; \
	VPSRLD $8, Y3, Y3; \
	VPAND Y14, Y3, Y3; \
	VPAND Y3, Y0, Y4; \
	VPANDN Y2, Y3, Y5; \
	VPOR Y4, Y5, Y5; \
	FROM; \
	VMOVMSKPS Y7, AX; \
	SHLQ $(AT/4), AX; \
	ORQ AX, R9; \
	VPSRLVD Y6, Y13, Y8; \
	VPSLLD $31, Y8, Y8; \
	VPSRAD $31, Y8, Y8; \
	VPANDN Y8, Y7, Y8; \
	VPBLENDVB Y8, Y6, Y0, Y6; \
	VPCMPEQD Y9, Y9, Y9; \
	VPGATHERDD Y9, (SI)(Y6*4), Y10; \
	VMOVDQU Y10, result-(128-AT)(SP)

// The lane is in Y0, b in Y1, the segment in Y3, the first lane of it in Y4 and the bound in Y5.

#define UP \
	VPSUBD Y1, Y0, Y6; \
	VPCMPGTD Y6, Y5, Y7

#define DOWN \
	VPADDD Y1, Y0, Y6; \
	VPCMPGTD Y5, Y6, Y7

#define BUTTERFLY \
	VPXOR Y1, Y0, Y6; \
	VPCMPGTD Y5, Y6, Y7

#define INDEX \
	VPANDN Y1, Y3, Y6; \
	VPOR Y4, Y6, Y6; \
	VPCMPGTD Y5, Y6, Y7

#define COPY_RESULT(OP, AT) \
	VMOVDQU result-(128-AT)(SP), Y0; \
	VMOVDQU Y0, AT(DI)

// SHUFFLES is the body of a ShuffleFunc.
#define SHUFFLES(FROM) \
	ARGS; \
	VPBROADCASTD mask+32(FP), Y13; \
	VPCMPEQD Y14, Y14, Y14; \
	VPSRLD $27, Y14, Y14; \
	XORL R9, R9; \
	EACH_WORD(SHUFFLE, FROM); \
	EACH_WORD(COPY_RESULT, NOTHING); \
	NOTL R9; \
	MOVL R9, inRange+40(FP); \
	VZEROUPPER; \
	RET
