/** The labels of a report in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { Labels } from './types.js';

export const zhLabels: Labels = {
  heading: '错误报告',
  kind: '错误类型',
  task: '任务',
  operation: '失败的操作',
  message: '错误信息',
  capability: '能力',
  metadata: '错误详情',
  stats: '执行情况',
  operations: '操作总数',
  time: '执行时间',
  retries: '重试次数',
  analysis: '分析',
  noAnalysis: '这次无法生成说明；上面的报告包含了所有已知信息。',
  stepFailed: '处理错误时出了问题。请重新开始。',
};
