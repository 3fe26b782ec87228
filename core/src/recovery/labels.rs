//! The words of a report in every language: a row for each.

use crate::message::resolve_locale;

/// The words of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The language, as in BCP 47.
    pub locale: &'static str,
    pub(super) heading: &'static str,
    pub(super) kind: &'static str,
    pub(super) task: &'static str,
    pub(super) operation: &'static str,
    pub(super) message: &'static str,
    pub(super) capability: &'static str,
    pub(super) metadata: &'static str,
    pub(super) stats: &'static str,
    pub(super) operations: &'static str,
    pub(super) time: &'static str,
    pub(super) retries: &'static str,
    /// What stands before an explanation.
    pub analysis: &'static str,
    /// What stands in the place of one.
    pub no_analysis: &'static str,
    /// What a person is told when the error step itself fails.
    pub step_failed: &'static str,
}

static ENGLISH: Labels = Labels {
    locale: "en",
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

static OTHERS: &[Labels] = &[
    Labels {
        locale: "de",
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
    Labels {
        locale: "es",
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
    Labels {
        locale: "fr",
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
    Labels {
        locale: "ja",
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
    Labels {
        locale: "zh",
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
];

/// The words in that language, found as the messages find theirs: `de-AT` is `de`, what is not here is English.
#[must_use]
pub fn labels(locale: &str) -> &'static Labels {
    let tag = resolve_locale(locale);
    OTHERS.iter().find(|labels| labels.locale == tag).unwrap_or(&ENGLISH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_languages_are_english_and_regions_are_passed_over() {
        assert_eq!(labels("de-AT").heading, "Fehlerbericht");
        assert_eq!(labels("ZH_Hans").heading, "错误报告");
        for tag in ["en", "de", "es", "fr", "ja", "zh"] {
            assert_eq!(
                labels(tag).locale,
                resolve_locale(tag),
                "the messages and the reports speak the same languages"
            );
        }
        for unknown in ["", "tlh", "-", "deutsch"] {
            assert_eq!(labels(unknown).locale, "en", "{unknown}");
        }
    }
}
