//! Japanese. Polite form; no spaces; one form for every number.

use super::super::Circumstance;
use super::shape::{Answer, Explanation, Locale, Plural};
use crate::Code;

/// For a visitor, of what only the people who run the assistant can mend.
const LOOK_AT_IT: &str =
    "アシスタントは現在、回答できません。運営者が対応するまでは、もう一度お試しいただいても解決しません。";

pub(super) const LOCALE: Locale = Locale {
    tag: "ja",
    plural: Plural::None,
    seconds: &["{n}秒"],
    minutes: &["{n}分"],
    hours: &["{n}時間"],
    days: &["{n}日"],
    again_in: "約{wait}後にもう一度お試しください。",
    again_soon: "しばらくしてからもう一度お試しください。",
    messages: &[
        (
            Code::ProviderNotConfigured,
            "[provider|{provider}|AIサービス]がまだ設定されていません。設定画面でAPIキーを追加してから、もう一度お試しください。",
        ),
        (
            Code::ProviderNotSupported,
            "[provider|{provider}|このAIサービス]はこの用途には利用できません。設定で別のAIサービスを選択してください。",
        ),
        (
            Code::AuthenticationError,
            "[provider|{provider}|サービス]でAPIキーが認められませんでした。入力の誤り、有効期限切れ、無効化がないか、設定でAPIキーをご確認ください。",
        ),
        (
            Code::RateLimited,
            "短時間に[provider|{provider}|サービス]へ送信されたリクエストが多すぎます。{again}",
        ),
        (
            Code::ModelNotFound,
            "[model|モデル「{model}」|選択したモデル]は[provider|{provider}では|]利用できません。設定でモデル名を確認するか、別のモデルを選択してください。",
        ),
        (
            Code::ContextLengthExceeded,
            "会話が長すぎるため、[model|モデル「{model}」|モデル]では処理できません。入力を短くするか、添付ファイルを減らすか、新しい会話を始めてください。",
        ),
        (
            Code::NetworkError,
            "[provider|{provider}|サービス]に接続できませんでした。[internet|インターネット接続をご確認ください。|サービスが稼働しており、接続できる状態かをご確認ください。]{again}",
        ),
        (
            Code::Timeout,
            "[provider|{provider}|サービス]からの応答に時間がかかりすぎました。{again}何度も続く場合は、リクエストを短くしてみてください。",
        ),
        (
            Code::Unknown,
            "[provider|{provider}の利用中に|]予期しない問題が発生しました。{again}何度も続く場合は、サポートにお問い合わせください。",
        ),
        (
            Code::ServerError,
            "[provider|{provider}|サービス]で技術的な問題が発生しています。リクエストの内容が原因ではありません。{again}",
        ),
        (Code::ProviderOverloaded, "[provider|{provider}|サービス]は現在大変混み合っています。{again}"),
        (
            Code::QuotaExceeded,
            "[provider|{provider}|サービス]のアカウントの残高または利用枠を使い切りました。[wait|約{wait}後に更新される見込みです。|]アカウントのプランとお支払い状況を確認するか、別のサービスをご利用ください。",
        ),
        (
            Code::ContentFiltered,
            "[provider|{provider}|AIサービス]の安全基準により、このリクエストまたは回答が止められました。表現を変え、慎重な扱いが必要な内容を避けて、もう一度お試しください。",
        ),
        (
            Code::PermissionDenied,
            "お使いのアカウントには、[provider|{provider}で|]この操作を行う権限がありません。管理者に権限を依頼するか、別のアカウントをご利用ください。",
        ),
        (
            Code::ValidationError,
            "[provider|{provider}でアシスタントからの|この]リクエストを処理できませんでした。内容に不足または誤りがあります。新しい会話を始めるか、ご希望を別の言い方で説明するか、設定をご確認ください。",
        ),
        (
            Code::NotFound,
            "[provider|{provider}で|]お探しのものが見つかりませんでした。移動または削除された可能性があります。名前や場所をご確認ください。",
        ),
        (Code::Cancelled, "リクエストはキャンセルされました。いつでも再送信できます。"),
        (
            Code::IoError,
            "ファイルの読み込みまたは保存ができませんでした。ファイルがあること、利用する権限があること、空き容量が足りていることをご確認ください。",
        ),
        (Code::ConfigError, "設定に不足または誤りがあります。設定を確認してから、もう一度お試しください。"),
        (
            Code::LlmAssistRequired,
            "[tool|ツール「{tool}」|ツール]の処理を続けるには、もう少し詳しい指示が必要です。ご希望の内容を詳しく説明してから、もう一度お試しください。",
        ),
        (
            Code::MaxIterationsExceeded,
            "許可された手順の数を超えたため、作業を停止しました。作業を小さく分けるか、より具体的に説明してください。",
        ),
        (
            Code::ToolExecutionError,
            "[tool|ツール「{tool}」|ツール]の処理を完了できませんでした。もう一度試すか、別の言い方で作業を説明してください。",
        ),
        (
            Code::InitializationError,
            "アシスタントを起動できませんでした。設定を確認してから、もう一度起動してください。解決しない場合は、サポートにお問い合わせください。",
        ),
        (
            Code::CircuitOpen,
            "[provider|{provider}|サービス]で問題が何度も続けて発生したため、リクエストを一時的に停止しています。{again}",
        ),
        (Code::CapacityExceeded, "同時に処理中のリクエストが多すぎます。{again}"),
        (
            Code::Conflict,
            "[provider|{provider}で|]ほかの人が同時に変更したため、変更は反映されませんでした。{again}",
        ),
        (
            Code::AlreadyExists,
            "[provider|{provider}に|]同じものがすでに存在します。別の名前を選択するか、すでにあるものを変更してください。",
        ),
    ],
    visitor: &[
        (
            Code::ProviderNotConfigured,
            "アシスタントの設定がまだ完了していません。運営者が設定を終えるまでは、もう一度お試しいただいても解決しません。",
        ),
        (Code::ProviderNotSupported, LOOK_AT_IT),
        (Code::AuthenticationError, LOOK_AT_IT),
        (Code::ModelNotFound, LOOK_AT_IT),
        (
            Code::NetworkError,
            "アシスタントが[provider|{provider}|必要なサービス]に接続できませんでした。{again}何度も続く場合は、運営者による対応が必要です。",
        ),
        (
            Code::InvalidResponse,
            "[provider|{provider}|サービス]から、アシスタントが読み取れない回答が届きました。{again}何度も続く場合は、運営者による対応が必要です。",
        ),
        (
            Code::Unknown,
            "予期しない問題が発生しました。{again}何度も続く場合は、運営者による対応が必要です。",
        ),
        (
            Code::QuotaExceeded,
            "アシスタントが現在利用できる分を使い切りました。[wait|約{wait}後にもう一度お試しください。|運営者が対応するまでは、もう一度お試しいただいても解決しません。]",
        ),
        (
            Code::PermissionDenied,
            "アシスタントには、[provider|{provider}で|]この操作を行う権限がありません。もう一度お試しいただいても解決しません。変更できるのは運営者だけです。",
        ),
        (
            Code::ValidationError,
            "アシスタントがこのリクエストを処理できませんでした。新しい会話を始めるか、ご希望を別の言い方で説明してください。解決しない場合は、運営者による対応が必要です。",
        ),
        (
            Code::NotFound,
            "[provider|{provider}で|]お探しのものが見つかりませんでした。移動または削除された可能性があります。書き方を確認するか、別の言い方でお尋ねください。",
        ),
        (
            Code::IoError,
            "アシスタントが必要なファイルの読み込みまたは保存ができませんでした。{again}何度も続く場合は、運営者による対応が必要です。",
        ),
        (Code::ConfigError, LOOK_AT_IT),
        (Code::InitializationError, LOOK_AT_IT),
    ],
    circumstances: &[
        (
            Circumstance::BrokenOff,
            "回答の受信中に[provider|{provider}|サービス]との接続が切れました。[internet|インターネット接続をご確認ください。|]{again}",
            "回答が最後まで届く前に途切れました。{again}",
        ),
        (
            Circumstance::ShutDown,
            "アシスタントが終了したため、リクエストはキャンセルされました。アシスタントを再起動してから、もう一度送信してください。",
            "アシスタントが終了したため、リクエストはキャンセルされました。{again}",
        ),
        (
            Circumstance::RateLimit,
            "この時間内に[provider|{provider}へ|]送信できるリクエストの数が上限に達しました。{again}",
            "アシスタントが対応できる数を超えるリクエストが届いています。{again}",
        ),
        (
            Circumstance::Cost,
            "アシスタントのリクエストに設定された費用の上限に達したため、一時的に送信を停止しています。{again}",
            "アシスタントは現在、利用できる上限に達しています。{again}",
        ),
        (
            Circumstance::Adaptive,
            "[provider|{provider}|サービス]は現在、これ以上のリクエストを同時に受け付けられません。{again}",
            "",
        ),
        (
            Circumstance::NoSuchTool,
            "[tool|「{tool}」というツールは存在しない|アシスタントが選んだツールは存在しない]ため、この手順を実行できませんでした。もう一度試すか、別の言い方で作業を説明してください。",
            "",
        ),
        (
            Circumstance::Conversation,
            "[provider|{provider}|AIサービス]では、この会話を今の状態のまま続けられません。新しい会話を始めるか、別のモデルを選んでください。",
            "アシスタントは、この会話を今の状態のまま続けられません。新しい会話を始めてください。解決しない場合は、運営者による対応が必要です。",
        ),
        (
            Circumstance::Attachment,
            "[provider|{provider}|AIサービス]で、この会話の添付ファイルを処理できませんでした。添付ファイルを外すか、別の形式で送ってください。解決しない場合は、新しい会話を始めてください。",
            "",
        ),
        (
            Circumstance::Isolated,
            "[provider|{provider}|サービス]へのリクエストを一時的に停止しています。{again}",
            "",
        ),
        (
            Circumstance::Throttled,
            "[provider|{provider}|サービス]で問題が発生したため、リクエストの一部だけを送信しています。{again}",
            "",
        ),
    ],
    invalid: Explanation {
        what: "[provider|{provider}|サービス]から、内容を読み取れない回答が届きました。",
        causes_title: "考えられる原因：",
        causes: &[
            "回答が完了する前に接続が切れた",
            "サービス内部で一時的な問題が発生した",
            "サービスの回答形式が変わった",
        ],
        steps_title: "お試しいただけること：",
        steps: &[
            "しばらくしてからもう一度試す",
            "より短い、または簡単な回答を依頼する",
            "何度も続く場合は、別のモデルを選択するか、サポートに問い合わせる",
        ],
    },
    empty: Explanation {
        what: "[provider|{provider}|AIサービス]から空の回答が返されました。",
        causes_title: "考えられる原因：",
        causes: &[
            "リクエストが不明確だったか、一度に多くのことを求めていた",
            "サービスの安全基準により回答が差し控えられた",
            "サービスが混み合っていたか、内部で一時的な問題が発生した",
            "リクエスト数または利用量が上限に達していた",
        ],
        steps_title: "お試しいただけること：",
        steps: &[
            "ご希望の内容を別の言葉で伝える",
            "大きな作業を小さな手順に分ける",
            "しばらくしてからもう一度試す",
        ],
    },
    empty_for_visitor: "[provider|{provider}|AIサービス]から空の回答が返されました。ご希望を別の言葉で伝えるか、一度に求める内容を減らしてください。",
    details: "技術的な詳細：{detail}",
    expected_got: "想定していた内容：{expected}\n受け取った内容：{got}",
    answer: Answer {
        sending: "AIにメッセージを送信しています…",
        using: "{tool}を使用しています…",
        error: "エラー：{detail}",
        executed: "分析が完了しました。{tool}を正常に実行しました。",
        analysed: "利用可能なツールを使って分析を完了しました。",
        completed: "利用可能なツールを使って作業を完了しました。",
    },
};
