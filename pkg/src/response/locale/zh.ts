/** Status lines in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { StatusTexts } from './types.js';

export const zhStatusTexts: StatusTexts = {
  sending: '⏳ 正在向AI发送消息……',
  using: '🔧 正在使用{tool}……',
  failed: '❌ 错误：{detail}',
  executed: '分析完成。已成功执行{tool}。',
  analysed: '已使用可用工具完成分析。',
  completed: '已使用可用工具完成任务。',
};
