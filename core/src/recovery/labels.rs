//! The labels of a report in every language: a row for each. JavaScript has them as a table of its own.

use crate::message::resolve_locale;

/// The labels of a report in one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels<'a> {
    /// The title.
    pub heading: &'a str,
    /// Of the error's type, with its code and severity.
    pub kind: &'a str,
    /// Of what the user asked for.
    pub task: &'a str,
    /// Of what failed.
    pub operation: &'a str,
    /// Of what the error said.
    pub message: &'a str,
    /// Of the capability that failed.
    pub capability: &'a str,
    /// Of the guidance that travels with the error.
    pub metadata: &'a str,
    /// Of the three numbers that follow.
    pub stats: &'a str,
    /// How many steps were begun.
    pub operations: &'a str,
    /// How long they took.
    pub time: &'a str,
    /// How many retries there were.
    pub retries: &'a str,
    /// Of an explanation, behind the report.
    pub analysis: &'a str,
    /// The sentence instead of an explanation.
    pub no_analysis: &'a str,
    /// The message for a user when the error step itself fails.
    pub step_failed: &'a str,
}

static ENGLISH: Labels<'_> = Labels {
    heading: "Error report",
    kind: "Error type",
    task: "Task",
    operation: "Failed operation",
    message: "Error message",
    capability: "Capability",
    metadata: "Error metadata",
    stats: "Execution stats",
    operations: "Total operations",
    time: "Execution time",
    retries: "Retry attempts",
    analysis: "Analysis",
    no_analysis: "No explanation could be made this time; the report above has everything that is known.",
    step_failed: "Something went wrong while an error was being handled. Please start again.",
};

/// Every other language, by its tag.
static OTHERS: &[(&str, Labels<'_>)] = &[
    (
        "de",
        Labels {
            heading: "Fehlerbericht",
            kind: "Fehlerart",
            task: "Aufgabe",
            operation: "Fehlgeschlagener Schritt",
            message: "Fehlermeldung",
            capability: "Fähigkeit",
            metadata: "Angaben zum Fehler",
            stats: "Ablauf",
            operations: "Schritte insgesamt",
            time: "Dauer",
            retries: "Wiederholungen",
            analysis: "Analyse",
            no_analysis: "Eine Erklärung war diesmal nicht möglich; der Bericht oben enthält alles, was bekannt ist.",
            step_failed: "Beim Behandeln eines Fehlers ist etwas schiefgegangen. Bitte beginnen Sie neu.",
        },
    ),
    (
        "es",
        Labels {
            heading: "Informe de error",
            kind: "Tipo de error",
            task: "Tarea",
            operation: "Operación fallida",
            message: "Mensaje de error",
            capability: "Capacidad",
            metadata: "Datos del error",
            stats: "Ejecución",
            operations: "Operaciones en total",
            time: "Duración",
            retries: "Reintentos",
            analysis: "Análisis",
            no_analysis: "Esta vez no se pudo dar una explicación; el informe de arriba contiene todo lo que se sabe.",
            step_failed: "Algo salió mal al tratar un error. Vuelva a empezar, por favor.",
        },
    ),
    (
        "fr",
        Labels {
            heading: "Rapport d’erreur",
            kind: "Type d’erreur",
            task: "Tâche",
            operation: "Opération en échec",
            message: "Message d’erreur",
            capability: "Capacité",
            metadata: "Données de l’erreur",
            stats: "Exécution",
            operations: "Opérations au total",
            time: "Durée",
            retries: "Nouvelles tentatives",
            analysis: "Analyse",
            no_analysis: "Aucune explication n’a pu être donnée cette fois ; le rapport ci-dessus contient tout ce qui est connu.",
            step_failed: "Un problème est survenu pendant le traitement d’une erreur. Veuillez recommencer.",
        },
    ),
    (
        "ja",
        Labels {
            heading: "エラーレポート",
            kind: "エラーの種類",
            task: "タスク",
            operation: "失敗した操作",
            message: "エラーメッセージ",
            capability: "機能",
            metadata: "エラーの詳細",
            stats: "実行状況",
            operations: "操作の総数",
            time: "実行時間",
            retries: "再試行回数",
            analysis: "分析",
            no_analysis: "今回は説明を作成できませんでした。分かっていることはすべて上のレポートにあります。",
            step_failed: "エラーの処理中に問題が発生しました。最初からやり直してください。",
        },
    ),
    (
        "zh",
        Labels {
            heading: "错误报告",
            kind: "错误类型",
            task: "任务",
            operation: "失败的操作",
            message: "错误信息",
            capability: "能力",
            metadata: "错误详情",
            stats: "执行情况",
            operations: "操作总数",
            time: "执行时间",
            retries: "重试次数",
            analysis: "分析",
            no_analysis: "这次无法生成说明；上面的报告包含了所有已知信息。",
            step_failed: "处理错误时出了问题。请重新开始。",
        },
    ),
];

/// Returns the labels in that language. The look-up is that of the messages: `de-AT` is `de`, an unknown language is
/// English.
#[must_use]
pub fn labels(locale: &str) -> &'static Labels<'static> {
    let tag = resolve_locale(locale);
    OTHERS.iter().find(|(of, _)| *of == tag).map_or(&ENGLISH, |(_, labels)| labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::LOCALES;

    #[test]
    fn unknown_languages_are_english_and_regions_are_passed_over() {
        assert_eq!(labels("de-AT").heading, "Fehlerbericht");
        assert_eq!(labels("ZH_Hans").heading, "错误报告");
        let tags = std::iter::once("en").chain(OTHERS.iter().map(|(tag, _)| *tag));
        assert!(tags.eq(LOCALES.iter().copied()), "the messages and the reports speak the same languages");
        for unknown in ["", "tlh", "-", "deutsch"] {
            assert_eq!(labels(unknown), &ENGLISH, "{unknown}");
        }
    }
}
