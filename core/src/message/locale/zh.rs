//! Chinese, simplified. Full-width punctuation, “quotes” as GB/T 15834 has them, no spaces; one form for every number.

use super::super::Circumstance;
use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

/// For a visitor, of what only the people who run the assistant can mend.
const LOOK_AT_IT: &str = "助手目前无法回答。在助手的运营人员处理之前，重试不会有帮助。";

pub(super) const LOCALE: Locale = Locale {
    tag: "zh",
    plural: Plural::None,
    seconds: &["{n}秒"],
    minutes: &["{n}分钟"],
    hours: &["{n}小时"],
    days: &["{n}天"],
    again_in: "请在大约{wait}后重试。",
    again_soon: "请稍后重试。",
    messages: &[
        (
            Code::ProviderNotConfigured,
            "[provider|{provider}|AI服务]尚未设置。请在设置中添加API密钥，然后重试。",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|此AI服务]不能用于此操作。请在设置中选择其他AI服务。",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|该服务]未接受API密钥。请在设置中检查密钥：它可能输入有误、已过期或已停用。",
        ),
        (Code::RateLimited, "短时间内向[provider|{provider}|该服务]发送的请求过多。{again}"),
        (
            Code::ModelNotFound,
            "[model|模型“{model}”|所选模型][provider|在{provider}上|]不可用。请在设置中检查模型名称，或选择其他模型。",
        ),
        (
            Code::ContextLengthExceeded,
            "对话内容过长，[model|模型“{model}”|模型]无法处理。请缩短内容、减少附件，或开始新的对话。",
        ),
        (
            Code::NetworkError,
            "无法连接到[provider|{provider}|该服务]。[internet|请检查网络连接。|请确认该服务正在运行并且可以访问。]{again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|该服务]响应时间过长。{again}如果问题持续出现，请尝试更简短的请求。",
        ),
        (
            Code::Unknown,
            "[provider|使用{provider}时|]出现了意外问题。{again}如果问题持续出现，请联系支持人员。",
        ),
        (Code::ServerError, "[provider|{provider}|该服务]出现技术问题，与您的请求无关。{again}"),
        (Code::ProviderOverloaded, "[provider|{provider}|该服务]目前非常繁忙。{again}"),
        (
            Code::QuotaExceeded,
            "您的[provider|{provider}|]账户余额或使用额度已用完。[wait|预计大约{wait}后恢复。|]请检查账户的套餐和账单，或使用其他服务。",
        ),
        (
            Code::ContentFiltered,
            "[provider|{provider}|AI服务]的安全规则阻止了此请求或其回答。请换一种说法，并避免敏感内容。",
        ),
        (
            Code::PermissionDenied,
            "您的账户没有[provider|在{provider}上|]执行此操作的权限。请向管理员申请权限，或使用其他账户。",
        ),
        (
            Code::ValidationError,
            "[provider|{provider}无法处理助手的请求|无法处理此请求]：部分内容缺失或无效。请开始新的对话、换一种说法描述您的需求，或检查设置。",
        ),
        (
            Code::NotFound,
            "[provider|在{provider}上|]找不到所请求的内容。请检查名称或地址：它可能已被移动或删除。",
        ),
        (Code::Cancelled, "请求已取消。您可以随时重新发送。"),
        (Code::IoError, "无法读取或保存文件。请确认文件存在、您有使用权限，并且有足够的可用空间。"),
        (Code::ConfigError, "设置中有内容缺失或错误。请检查设置，然后重试。"),
        (
            Code::LlmAssistRequired,
            "[tool|工具“{tool}”|工具]需要更多说明才能继续。请更详细地描述您的需求，然后重试。",
        ),
        (
            Code::MaxIterationsExceeded,
            "任务所需的步骤超过了允许的数量，已停止。请将其拆分为更小的任务，或描述得更具体。",
        ),
        (Code::ToolExecutionError, "[tool|工具“{tool}”|工具]未能完成工作。请重试，或换一种方式描述任务。"),
        (
            Code::InitializationError,
            "助手无法启动。请检查设置，然后重新启动助手。如果仍无法解决，请联系支持人员。",
        ),
        (
            Code::CircuitOpen,
            "[provider|{provider}|该服务]连续多次出现故障，因此暂时不再向其发送请求。{again}",
        ),
        (Code::CapacityExceeded, "正在处理的请求过多。{again}"),
        (Code::Conflict, "[provider|在{provider}上|]其他人同时修改了此内容，因此您的更改未生效。{again}"),
        (Code::AlreadyExists, "[provider|在{provider}上|]该内容已存在。请选择其他名称，或修改已有的内容。"),
    ],
    visitor: &[
        (Code::ProviderNotConfigured, "助手尚未完全设置好。在助手的运营人员完成设置之前，重试不会有帮助。"),
        (Code::ProviderNotSupported, LOOK_AT_IT),
        (Code::AuthenticationError, LOOK_AT_IT),
        (Code::ModelNotFound, LOOK_AT_IT),
        (
            Code::NetworkError,
            "助手无法连接到[provider|{provider}|所需的服务]。{again}如果问题持续出现，需要由助手的运营人员处理。",
        ),
        (
            Code::InvalidResponse,
            "[provider|{provider}|该服务]返回了助手无法识别的回答。{again}如果问题持续出现，需要由助手的运营人员处理。",
        ),
        (Code::Unknown, "出现了意外问题。{again}如果问题持续出现，需要由助手的运营人员处理。"),
        (
            Code::QuotaExceeded,
            "助手目前可用的额度已用完。[wait|请在大约{wait}后重试。|在助手的运营人员处理之前，重试不会有帮助。]",
        ),
        (
            Code::PermissionDenied,
            "助手没有[provider|在{provider}上|]执行此操作的权限。重试不会有帮助，只有助手的运营人员可以更改。",
        ),
        (
            Code::ValidationError,
            "助手无法处理此请求。请开始新的对话，或换一种说法描述您的需求。如果仍无法解决，需要由助手的运营人员处理。",
        ),
        (
            Code::NotFound,
            "[provider|在{provider}上|]找不到所请求的内容：它可能已被移动或删除。请检查写法，或换一种方式提问。",
        ),
        (Code::IoError, "助手无法读取或保存所需的文件。{again}如果问题持续出现，需要由助手的运营人员处理。"),
        (Code::ConfigError, LOOK_AT_IT),
        (Code::InitializationError, LOOK_AT_IT),
    ],
    circumstances: &[
        (
            Circumstance::BrokenOff,
            "接收回答时，与[provider|{provider}|该服务]的连接中断了。[internet|请检查网络连接。|]{again}",
            "回答在完成之前中断了。{again}",
        ),
        (
            Circumstance::ShutDown,
            "助手已关闭，请求已取消。请重新启动助手，然后再发送请求。",
            "助手已关闭，请求已取消。{again}",
        ),
        (
            Circumstance::RateLimit,
            "本时段内允许[provider|向{provider}|]发送的请求数已用完。{again}",
            "助手收到的请求超过了它能处理的数量。{again}",
        ),
        (
            Circumstance::Cost,
            "助手的请求已达到设定的费用上限，因此暂时不再发送请求。{again}",
            "助手目前已达到使用上限。{again}",
        ),
        (Circumstance::Adaptive, "[provider|{provider}|该服务]目前无法同时接受更多请求。{again}", ""),
        (
            Circumstance::NoSuchTool,
            "[tool|不存在名为“{tool}”的工具|助手选择的工具不存在]，因此无法完成这一步。请重试，或换一种方式描述任务。",
            "",
        ),
        (
            Circumstance::Conversation,
            "[provider|{provider}|AI服务]无法按目前的状态继续此对话。请开始新的对话，或选择其他模型。",
            "助手无法按目前的状态继续此对话。请开始新的对话。如果仍无法解决，需要由助手的运营人员处理。",
        ),
        (
            Circumstance::Attachment,
            "[provider|{provider}|AI服务]无法处理此对话中的附件。请移除该附件，或换一种格式发送。如果仍无法解决，请开始新的对话。",
            "",
        ),
        (Circumstance::Isolated, "目前已暂停向[provider|{provider}|该服务]发送请求。{again}", ""),
        (
            Circumstance::Throttled,
            "[provider|{provider}|该服务]出现过问题，因此目前只向其发送部分请求。{again}",
            "",
        ),
    ],
    invalid: Explanation {
        what: "[provider|{provider}|该服务]返回了无法识别的回答。",
        causes_title: "可能的原因：",
        causes: &["连接在回答完成之前中断", "服务内部出现短暂问题", "服务的回答方式有变化"],
        steps_title: "您可以：",
        steps: &["稍后重试", "请求更简短或更简单的回答", "如果问题持续出现，选择其他模型或联系支持人员"],
    },
    empty: Explanation {
        what: "[provider|{provider}|AI服务]返回了空的回答。",
        causes_title: "可能的原因：",
        causes: &[
            "请求不够清楚，或一次要求过多",
            "服务的安全规则拦截了回答",
            "服务繁忙或内部出现短暂问题",
            "请求数或用量已达到上限",
        ],
        steps_title: "您可以：",
        steps: &["换一种说法表达您的需求", "将大任务拆分为较小的步骤", "稍后重试"],
    },
    empty_for_visitor: "[provider|{provider}|AI服务]返回了空的回答。请换一种说法表达您的需求，或减少一次提出的要求。",
    details: "技术详情：{detail}",
    expected_got: "预期：{expected}\n收到：{got}",
    answer: Answer {
        sending: "正在向AI发送消息……",
        using: "正在使用{tool}……",
        error: "错误：{detail}",
        executed: "分析完成。已成功执行{tool}。",
        analysed: "已使用可用工具完成分析。",
        completed: "已使用可用工具完成任务。",
    },
};
