/** The templates of messages in one language. */
// Written from core/src/message/locale/zh.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

export const zh =
  'zh\u001e' +
  'none\u001e' +
  '{n}秒\u001e' +
  '{n}分钟\u001e' +
  '{n}小时\u001e' +
  '{n}天\u001e' +
  '请在大约{wait}后重试。\u001e' +
  '请稍后重试。\u001e' +
  '技术详情：{detail}\u001e' +
  '预期：{expected}\n收到：{got}\u001e' +
  '[provider|{provider}|AI服务]返回了空的回答。可能的原因：\n• 请求不够清楚，或一次要求过多\n• 服务的安全规则拦截了回答\n• 服务繁忙或内部出现短暂问题\n• 请求数或用量已达到上限\n\n您可以：\n• 换一种说法表达您的需求\n• 将大任务拆分为较小的步骤\n• 稍后重试\u001e' +
  '接收回答时，与[provider|{provider}|该服务]的连接中断了。请检查网络连接。{again}\u001e' +
  '助手已关闭，请求已取消。请重新启动助手，然后再发送请求。\u001e' +
  '[provider|{provider}|AI服务]尚未设置。请在设置中添加API密钥，然后重试。\u001e' +
  '[provider|{provider}|此AI服务]不能用于此操作。请在设置中选择其他AI服务。\u001e' +
  '[provider|{provider}|该服务]未接受API密钥。请在设置中检查密钥：它可能输入有误、已过期或已停用。\u001e' +
  '短时间内向[provider|{provider}|该服务]发送的请求过多。{again}\u001e' +
  '[model|模型“{model}”|所选模型][provider|在{provider}上|]不可用。请在设置中检查模型名称，或选择其他模型。\u001e' +
  '对话内容过长，[model|模型“{model}”|模型]无法处理。请缩短内容、减少附件，或开始新的对话。\u001e' +
  '无法连接到[provider|{provider}|该服务]。请检查网络连接。{again}\u001e' +
  '[provider|{provider}|该服务]响应时间过长。{again}如果问题持续出现，请尝试更简短的请求。\u001e' +
  '[provider|{provider}|该服务]返回了无法识别的回答。可能的原因：\n• 连接在回答完成之前中断\n• 服务内部出现短暂问题\n• 服务的回答方式有变化\n\n您可以：\n• 稍后重试\n• 请求更简短或更简单的回答\n• 如果问题持续出现，选择其他模型或联系支持人员\u001e' +
  '[provider|使用{provider}时|]出现了意外问题。可能的原因：\n• 应用程序存在缺陷\n• 某项服务内部出现短暂问题\n• 设置缺失或有误\n\n您可以：\n• 稍后重试\n• 如果问题持续出现，请联系支持人员\u001e' +
  '[provider|{provider}|该服务]出现技术问题，与您的请求无关。{again}\u001e' +
  '[provider|{provider}|该服务]目前非常繁忙。{again}\u001e' +
  '您的[provider|{provider}|]账户余额或使用额度已用完。[wait|预计大约{wait}后恢复。|]请检查账户的套餐和账单，或使用其他服务。\u001e' +
  '[provider|{provider}|AI服务]的安全规则阻止了此请求或其回答。请换一种说法，并避免敏感内容。\u001e' +
  '您的账户没有[provider|在{provider}上|]执行此操作的权限。请向管理员申请权限，或使用其他账户。\u001e' +
  '[provider|{provider}|]无法处理此请求：部分内容缺失或无效。请检查输入内容和设置，然后重试。\u001e' +
  '[provider|在{provider}上|]找不到所请求的内容。请检查名称或地址：它可能已被移动或删除。\u001e' +
  '请求已取消。您可以随时重新发送。\u001e' +
  '无法读取或保存文件。请确认文件存在、您有使用权限，并且有足够的可用空间。\u001e' +
  '设置中有内容缺失或错误。请检查设置，然后重试。\u001e' +
  '[tool|工具“{tool}”|工具]需要更多说明才能继续。请更详细地描述您的需求，然后重试。\u001e' +
  '任务所需的步骤超过了允许的数量，已停止。请将其拆分为更小的任务，或描述得更具体。\u001e' +
  '[tool|工具“{tool}”|工具]未能完成工作。请重试，或换一种方式描述任务。\u001e' +
  '助手无法启动。请检查设置，然后重新启动助手。如果仍无法解决，请联系支持人员。\u001e' +
  '[provider|{provider}|该服务]连续多次出现故障，因此暂时不再向其发送请求。{again}\u001e' +
  '正在处理的请求过多。{again}\u001e' +
  '[provider|在{provider}上|]其他人同时修改了此内容，因此您的更改未生效。{again}\u001e' +
  '[provider|在{provider}上|]该内容已存在。请选择其他名称，或修改已有的内容。';
