/** Status lines in every language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen --test generated`.

/** What a user reads while an answer comes in, and instead of one. */
export interface StatusTexts {
  /** The request goes out. */
  readonly sending: string;
  /** The call of a tool, `{tool}`, begins. */
  readonly using: string;
  /** The exchange failed with the message `{detail}`. */
  readonly failed: string;
  /** Instead of a stream's text: it only called tools, `{tool}` last. */
  readonly executed: string;
  /** The same where no tool has a name. */
  readonly analysed: string;
  /** Instead of a whole response's text: it only called tools. */
  readonly completed: string;
}

/** By the language's tag. */
export const STATUS_TEXTS: { readonly en: StatusTexts } & Readonly<Record<string, StatusTexts>> = {
  en: {
    sending: '⏳ Sending message to AI...',
    using: '🔧 Using {tool}...',
    failed: '❌ Error: {detail}',
    executed: 'Analysis complete. Executed {tool} successfully.',
    analysed: 'Analysis complete using available tools.',
    completed: 'Task completed using available tools.',
  },
  de: {
    sending: '⏳ Nachricht wird an die KI gesendet …',
    using: '🔧 {tool} wird verwendet …',
    failed: '❌ Fehler: {detail}',
    executed: 'Analyse abgeschlossen. {tool} wurde erfolgreich ausgeführt.',
    analysed: 'Analyse mit den verfügbaren Werkzeugen abgeschlossen.',
    completed: 'Aufgabe mit den verfügbaren Werkzeugen erledigt.',
  },
  es: {
    sending: '⏳ Enviando el mensaje a la IA…',
    using: '🔧 Usando {tool}…',
    failed: '❌ Error: {detail}',
    executed: 'Análisis completado. {tool} se ejecutó correctamente.',
    analysed: 'Análisis completado con las herramientas disponibles.',
    completed: 'Tarea completada con las herramientas disponibles.',
  },
  fr: {
    sending: '⏳ Envoi du message à l’IA…',
    using: '🔧 Utilisation de {tool}…',
    failed: '❌ Erreur : {detail}',
    executed: 'Analyse terminée. {tool} a été exécuté avec succès.',
    analysed: 'Analyse terminée à l’aide des outils disponibles.',
    completed: 'Tâche accomplie à l’aide des outils disponibles.',
  },
  ja: {
    sending: '⏳ AIにメッセージを送信しています…',
    using: '🔧 {tool}を使用しています…',
    failed: '❌ エラー：{detail}',
    executed: '分析が完了しました。{tool}を正常に実行しました。',
    analysed: '利用可能なツールを使って分析を完了しました。',
    completed: '利用可能なツールを使ってタスクを完了しました。',
  },
  zh: {
    sending: '⏳ 正在向AI发送消息……',
    using: '🔧 正在使用{tool}……',
    failed: '❌ 错误：{detail}',
    executed: '分析完成。已成功执行{tool}。',
    analysed: '已使用可用工具完成分析。',
    completed: '已使用可用工具完成任务。',
  },
};
