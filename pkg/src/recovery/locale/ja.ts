/** The labels of a report in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { Labels } from './types.js';

export const jaLabels: Labels = {
  heading: 'エラーレポート',
  kind: 'エラーの種類',
  task: 'タスク',
  operation: '失敗した操作',
  message: 'エラーメッセージ',
  capability: '機能',
  metadata: 'エラーの詳細',
  stats: '実行状況',
  operations: '操作の総数',
  time: '実行時間',
  retries: '再試行回数',
  analysis: '分析',
  noAnalysis: '今回は説明を作成できませんでした。分かっていることはすべて上のレポートにあります。',
  stepFailed: 'エラーの処理中に問題が発生しました。最初からやり直してください。',
};
