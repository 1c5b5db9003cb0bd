// SPDX-License-Identifier: MIT
/// What an expression says of other elements than its own: a stencil's neighbours, and functions on whole arrays.
#ifndef WEFT_EXPR_NEIGHBOUR_H
#define WEFT_EXPR_NEIGHBOUR_H

#include "expr/lexer.h"

/// The axis of a name i0, i1, ...; -1: the name is another.
int weft__index_axis(const char *name, size_t length);
/// Whether such a name, or offsets behind a name, may stand in the text; else records an error. `axes`: 0 outside of
/// stencils, where the axes are known only when the function is called.
bool weft__may_have_index(weft__lexer *lexer, const weft__token *token, int axis, int axes);
bool weft__may_have_offsets(weft__lexer *lexer, int axes, bool is_array);
/// Reads the offsets of x[-1, 0] from the opening bracket, as many as `axes`. False: an error is recorded.
bool weft__read_offsets(weft__lexer *lexer, int *offset, int axes);
/// Whether the text may call the reduction `token`; else records an error.
bool weft__may_reduce(weft__lexer *lexer, const weft__token *token, bool may);
/// Fails and returns true if the name is a function on whole arrays that no text can call.
bool weft__fail_over_array(weft__lexer *lexer, const weft__token *token);

#endif
