/** The labels of a report in every language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen --test generated`.

/** The labels of a report in one language. */
export interface Labels {
  /** The title. */
  readonly heading: string;
  /** Of the error's type, with its code and severity. */
  readonly kind: string;
  /** Of what the user asked for. */
  readonly task: string;
  /** Of what failed. */
  readonly operation: string;
  /** Of what the error said. */
  readonly message: string;
  /** Of the capability that failed. */
  readonly capability: string;
  /** Of the guidance that travels with the error. */
  readonly metadata: string;
  /** Of the three numbers that follow. */
  readonly stats: string;
  /** How many steps were begun. */
  readonly operations: string;
  /** How long they took. */
  readonly time: string;
  /** How many retries there were. */
  readonly retries: string;
  /** Of an explanation, behind the report. */
  readonly analysis: string;
  /** The sentence instead of an explanation. */
  readonly noAnalysis: string;
  /** What a user reads when the error step itself fails. */
  readonly stepFailed: string;
}

/** By the language's tag. */
export const LABELS: { readonly en: Labels } & Readonly<Record<string, Labels>> = {
  en: {
    heading: 'Error report',
    kind: 'Error type',
    task: 'Task',
    operation: 'Failed operation',
    message: 'Error message',
    capability: 'Capability',
    metadata: 'Error metadata',
    stats: 'Execution stats',
    operations: 'Total operations',
    time: 'Execution time',
    retries: 'Retry attempts',
    analysis: 'Analysis',
    noAnalysis: 'No explanation could be made this time; the report above has everything that is known.',
    stepFailed: 'Something went wrong while an error was being handled. Please start again.',
  },
  de: {
    heading: 'Fehlerbericht',
    kind: 'Fehlerart',
    task: 'Aufgabe',
    operation: 'Fehlgeschlagener Schritt',
    message: 'Fehlermeldung',
    capability: 'Fähigkeit',
    metadata: 'Angaben zum Fehler',
    stats: 'Ablauf',
    operations: 'Schritte insgesamt',
    time: 'Dauer',
    retries: 'Wiederholungen',
    analysis: 'Analyse',
    noAnalysis: 'Eine Erklärung war diesmal nicht möglich; der Bericht oben enthält alles, was bekannt ist.',
    stepFailed: 'Beim Behandeln eines Fehlers ist etwas schiefgegangen. Bitte beginnen Sie neu.',
  },
  es: {
    heading: 'Informe de error',
    kind: 'Tipo de error',
    task: 'Tarea',
    operation: 'Operación fallida',
    message: 'Mensaje de error',
    capability: 'Capacidad',
    metadata: 'Datos del error',
    stats: 'Ejecución',
    operations: 'Operaciones en total',
    time: 'Duración',
    retries: 'Reintentos',
    analysis: 'Análisis',
    noAnalysis: 'Esta vez no se pudo dar una explicación; el informe de arriba contiene todo lo que se sabe.',
    stepFailed: 'Algo salió mal al tratar un error. Vuelva a empezar, por favor.',
  },
  fr: {
    heading: 'Rapport d’erreur',
    kind: 'Type d’erreur',
    task: 'Tâche',
    operation: 'Opération en échec',
    message: 'Message d’erreur',
    capability: 'Capacité',
    metadata: 'Données de l’erreur',
    stats: 'Exécution',
    operations: 'Opérations au total',
    time: 'Durée',
    retries: 'Nouvelles tentatives',
    analysis: 'Analyse',
    noAnalysis:
      'Aucune explication n’a pu être donnée cette fois ; le rapport ci-dessus contient tout ce qui est connu.',
    stepFailed: 'Un problème est survenu pendant le traitement d’une erreur. Veuillez recommencer.',
  },
  ja: {
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
  },
  zh: {
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
  },
};
