// Two tilings of corpus/tiled/penguin, made by primitives alone.
#include "compiler/transform/localize.h"
#include "compiler/transform/move_to_loop.h"
#include "compiler/transform/replace_access.h"
#include "compiler/transform/split.h"
#include "props/transform/transform_case.h"

#include <gtest/gtest.h>

namespace tileproof::transform {
namespace {

ir::Program corpus(const std::string& path) {
  const auto text = ir::read_text("corpus/" + path);
  return text ? program(*text) : ir::Program{};
}

/// The innermost body of the nest at `item`, whose loops each hold one item.
ir::Block& body_of(ir::Item& item) {
  ir::Block* body = &std::get<ir::Loop>(item.node).body;
  while (body->size() == 1 && std::holds_alternative<ir::Loop>(body->front().node))
    body = &std::get<ir::Loop>(body->front().node).body;
  return *body;
}

TEST(TilingByPrimitives, MakesTheAddOfTheCorpus) {
  const ir::Program before = corpus("real/add_256x1024.tile");
  ir::Program after = before;
  Environment environment(after);
  ir::Item& nest = after.body[first_statement(after.body)];
  ASSERT_TRUE(split_axis(statement(nest), "i", 128, {"ib", "i"}));
  ASSERT_TRUE(split_axis(statement(nest), "j", 512, {"jb", "j"}));
  ASSERT_TRUE(move_to_loop(nest, "ib", ir::LoopKind::par, environment));
  ASSERT_TRUE(move_to_loop(nest, "jb", ir::LoopKind::par, environment));
  ir::Block& body = body_of(nest);
  ASSERT_TRUE(localize_result(body, 0, {.name = "yt", .partition = {"i"}, .free = {"j"}, .opcode = "store"}, environment));
  ASSERT_TRUE(localize_read(body, 1, {0}, {.name = "at1", .partition = {"i"}, .free = {"j"}}, environment));
  ASSERT_TRUE(localize_read(body, 3, {1}, {.name = "bt1", .partition = {"i"}, .free = {"j"}}, environment));
  EXPECT_EQ(ir::print(after),
            "tile 1\n"
            "program add_256x1024 {\n"
            "  buffer a : bf16[256, 1024] dram in\n"
            "  buffer b : bf16[256, 1024] dram in\n"
            "  buffer y : bf16[256, 1024] dram out\n"
            "  for ib in 0..2 par {\n"
            "    for jb in 0..2 par {\n"
            "      buffer yt : bf16[128 | 512] sbuf\n"
            "      buffer at1 : bf16[128 | 512] sbuf\n"
            "      load at1[i, j] = a[128*ib + i, 512*jb + j] over i:128, j:512\n"
            "      buffer bt1 : bf16[128 | 512] sbuf\n"
            "      load bt1[i, j] = b[128*ib + i, 512*jb + j] over i:128, j:512\n"
            "      map yt[i, j] = at1[i, j] + bt1[i, j] over i:128, j:512\n"
            "      store y[128*ib + i, 512*jb + j] = yt[i, j] over i:128, j:512\n"
            "    }\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(verdict(before, after), "tested");
  EXPECT_EQ(verdict(corpus("tiled/penguin/add_256x1024.tile"), after), "tested");
}

TEST(TilingByPrimitives, MakesTheMatmulOfTheCorpus) {
  const ir::Program before = corpus("real/matmul_bias_relu.tile");
  ir::Program after = before;
  Environment environment(after);
  ir::Item& nest = after.body[first_statement(after.body)];
  ASSERT_TRUE(split_axis(statement(nest), "m", 128, {"mb", "m"}));
  ASSERT_TRUE(split_axis(statement(nest), "n", 512, {"nb", "n"}));
  ASSERT_TRUE(split_axis(statement(nest), "k", 128, {"kb", "k"}));
  ASSERT_TRUE(move_to_loop(nest, "mb", ir::LoopKind::par, environment));
  ASSERT_TRUE(move_to_loop(nest, "nb", ir::LoopKind::par, environment));
  ir::Block& body = body_of(nest);
  statement(body[0]).stop.emplace();
  ASSERT_TRUE(localize_result(body, 0, {.name = "ps", .space = "psum", .partition = {"m"}, .free = {"n"}, .opcode = "store"},
                              environment));
  ASSERT_TRUE(move_to_loop(body[1], "kb", ir::LoopKind::seq, environment));
  ir::Block& inner = body_of(body[1]);
  ASSERT_TRUE(localize_read(inner, 0, {0}, {.name = "xt", .partition = {"k"}, .free = {"m"}}, environment));
  ASSERT_TRUE(localize_read(inner, 2, {1}, {.name = "wt", .partition = {"k"}, .free = {"n"}}, environment));
  EXPECT_EQ(ir::print(statement(inner[1])),
            "load xt[k, m] = x[128*mb + m, 128*kb + k] over k:128, m:128 where 128*mb + m < 300 and 128*kb + k < 800");
  EXPECT_EQ(ir::print(statement(inner[3])),
            "load wt[k, n] = w[128*kb + k, 512*nb + n] over k:128, n:512 where 512*nb + n < 3200 and 128*kb + k < 800");
  EXPECT_EQ(ir::print(statement(inner[4])),
            "matmul ps[m, n] += xt[k, m] * wt[k, n] over m:128, n:512, k:128 reduce "
            "where 128*mb + m < 300 and 512*nb + n < 3200 and 128*kb + k < 800 start kb == 0 stop kb == 6");
  EXPECT_EQ(ir::print(statement(body[2])),
            "store z[128*mb + m, 512*nb + n] = ps[m, n] over m:128, n:512 where 128*mb + m < 300 and 512*nb + n < 3200");

  // The map, in the same tiles.
  ir::Item& map = after.body.back();
  ASSERT_TRUE(split_axis(statement(map), "m", 128, {"mb", "m"}));
  ASSERT_TRUE(split_axis(statement(map), "n", 512, {"nb", "n"}));
  ASSERT_TRUE(move_to_loop(map, "mb", ir::LoopKind::par, environment));
  ASSERT_TRUE(move_to_loop(map, "nb", ir::LoopKind::par, environment));
  ir::Block& tail = body_of(map);
  ASSERT_TRUE(localize_result(tail, 0, {.name = "yt", .partition = {"m"}, .free = {"n"}, .opcode = "store"}, environment));
  ASSERT_TRUE(localize_read(tail, 1, {0, 1}, {.name = "bt", .partition = {"m"}, .free = {"n"}}, environment));

  // And both in one nest: what is read of z is what was stored from ps.
  ir::Block& target = body_of(after.body[after.body.size() - 2]);
  for (ir::Item& item : tail) target.push_back(std::move(item));
  after.body.pop_back();
  ASSERT_EQ(target.size(), 8U);
  EXPECT_EQ(replace_access(target, 2, 6, "z", environment), Outcome<>{});
  EXPECT_EQ(ir::print(statement(target[6])),
            "map yt[m, n] = max(ps[m, n] + bt[m, n], 0) over m:128, n:512 where 128*mb + m < 300 and 512*nb + n < 3200");
  EXPECT_EQ(verdict(before, after), "tested");
}

}  // namespace
}  // namespace tileproof::transform
