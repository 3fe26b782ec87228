/** Status lines in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { StatusTexts } from './types.js';

export const jaStatusTexts: StatusTexts = {
  sending: '⏳ AIにメッセージを送信しています…',
  using: '🔧 {tool}を使用しています…',
  failed: '❌ エラー：{detail}',
  executed: '分析が完了しました。{tool}を正常に実行しました。',
  analysed: '利用可能なツールを使って分析を完了しました。',
  completed: '利用可能なツールを使って作業を完了しました。',
};
