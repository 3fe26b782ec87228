/** The texts of a run: to the model for `steer`, `refuse` and `conclude`, to the user when it ends. They quote nothing of a call. */

import { Languages } from '../message/language.js';
import type { RunLimit, RunLoop, RunReason } from './reason.js';

/** The sentences of one language. `{tool}`, `{count}`, `{code}` and `{max}` are filled in. */
interface Sentences {
  /** The event, by the kind of the loop. `stale` and `texts` have no tool. */
  readonly loops: Readonly<Record<RunLoop, string>>;
  /** The advice, by the kind of the loop. */
  readonly helps: Readonly<Record<RunLoop, string>>;
  /** The call was not run. */
  readonly refused: string;
  /** The request for the last answer. */
  readonly conclude: string;
  /** The exhausted resource, by the limit. */
  readonly limits: Readonly<Record<RunLimit, string>>;
  /** The word for a tool without a name. */
  readonly anyTool: string;
  /** For the user: it repeated itself; too many steps; budget; time. */
  readonly ends: Readonly<Record<'loop' | 'steps' | 'budget' | 'time', string>>;
}

const en: Sentences = {
  loops: {
    repeats: 'You have called {tool} {count} times in a row with the same arguments and got the same result.',
    failures: '{tool} has failed {count} times in a row with the same error ({code}).',
    cycles:
      'You have gone through the same sequence of calls {count} times, and the last of them was {tool}.',
    nothing: '{tool} has found nothing {count} times in a row.',
    stale: 'The last {count} steps brought nothing new.',
    texts: 'You have written the same text {count} times in a row.',
  },
  helps: {
    repeats:
      'Another call of the same kind will not change it: use what you have, try another way, or say what is missing.',
    failures:
      'Other arguments have not helped: use another tool, do without it, or say what stands in the way.',
    cycles: 'Break the circle: do something different, or say what is missing.',
    nothing: 'Look elsewhere, ask for what you need, or say that it cannot be found.',
    stale: 'Say what you know by now and what is missing, then take a different way or finish.',
    texts: 'Take the next action, or finish with what you have.',
  },
  refused: 'This call was not run.',
  conclude: 'Do not use any more tools. Answer now with what you know, and say what is left open.',
  limits: {
    steps: 'The limit of {max} steps is reached.',
    toolCalls: 'The limit of {max} tool calls is reached.',
    tokens: 'The limit of {max} tokens is reached.',
    cost: 'The budget of {max} is used up.',
    ms: 'The time of {max} ms is over.',
  },
  anyTool: 'a tool',
  ends: {
    loop: 'The assistant repeated itself without getting further, so it was stopped. Try saying what you need in another way, or in smaller steps.',
    steps:
      'The assistant needed more steps than it is allowed, so it was stopped. Try asking for a smaller part of the task.',
    budget: 'The budget for this task is used up, so the assistant was stopped.',
    time: 'The time for this task is over, so the assistant was stopped. Try again, or ask for a smaller part of it.',
  },
};

const de: Sentences = {
  loops: {
    repeats:
      'Du hast {tool} {count}-mal nacheinander mit denselben Argumenten aufgerufen und dasselbe Ergebnis erhalten.',
    failures: '{tool} ist {count}-mal nacheinander mit demselben Fehler gescheitert ({code}).',
    cycles: 'Du hast dieselbe Folge von Aufrufen {count}-mal durchlaufen; der letzte davon war {tool}.',
    nothing: '{tool} hat {count}-mal nacheinander nichts gefunden.',
    stale: 'Die letzten {count} Schritte haben nichts Neues gebracht.',
    texts: 'Du hast {count}-mal nacheinander denselben Text geschrieben.',
  },
  helps: {
    repeats:
      'Ein weiterer solcher Aufruf ändert nichts: Nutze, was du hast, versuche einen anderen Weg, oder sage, was fehlt.',
    failures:
      'Andere Argumente haben nicht geholfen: Nimm ein anderes Werkzeug, komm ohne aus, oder sage, was im Weg steht.',
    cycles: 'Verlasse den Kreis: Tu etwas anderes, oder sage, was fehlt.',
    nothing: 'Suche anderswo, frage nach dem, was du brauchst, oder sage, dass es nicht zu finden ist.',
    stale:
      'Sage, was du inzwischen weißt und was fehlt, und geh dann einen anderen Weg oder komm zum Schluss.',
    texts: 'Tu den nächsten Schritt, oder schließe mit dem ab, was du hast.',
  },
  refused: 'Dieser Aufruf wurde nicht ausgeführt.',
  conclude:
    'Verwende keine Werkzeuge mehr. Antworte jetzt mit dem, was du weißt, und sage, was offen bleibt.',
  limits: {
    steps: 'Die Grenze von {max} Schritten ist erreicht.',
    toolCalls: 'Die Grenze von {max} Werkzeugaufrufen ist erreicht.',
    tokens: 'Die Grenze von {max} Tokens ist erreicht.',
    cost: 'Das Budget von {max} ist aufgebraucht.',
    ms: 'Die Zeit von {max} ms ist um.',
  },
  anyTool: 'ein Werkzeug',
  ends: {
    loop: 'Der Assistent hat sich wiederholt und kam nicht weiter, deshalb wurde er angehalten. Beschreiben Sie Ihr Anliegen anders oder in kleineren Schritten.',
    steps:
      'Der Assistent brauchte mehr Schritte als erlaubt, deshalb wurde er angehalten. Bitten Sie um einen kleineren Teil der Aufgabe.',
    budget: 'Das Budget für diese Aufgabe ist aufgebraucht, deshalb wurde der Assistent angehalten.',
    time: 'Die Zeit für diese Aufgabe ist um, deshalb wurde der Assistent angehalten. Versuchen Sie es erneut, oder bitten Sie um einen kleineren Teil.',
  },
};

const es: Sentences = {
  loops: {
    repeats:
      'Has llamado a {tool} {count} veces seguidas con los mismos argumentos y has obtenido el mismo resultado.',
    failures: '{tool} ha fallado {count} veces seguidas con el mismo error ({code}).',
    cycles: 'Has recorrido la misma secuencia de llamadas {count} veces; la última fue {tool}.',
    nothing: '{tool} no ha encontrado nada {count} veces seguidas.',
    stale: 'Los últimos {count} pasos no han aportado nada nuevo.',
    texts: 'Has escrito el mismo texto {count} veces seguidas.',
  },
  helps: {
    repeats: 'Otra llamada igual no lo cambiará: usa lo que tienes, prueba de otra manera o di qué falta.',
    failures: 'Otros argumentos no han servido: usa otra herramienta, prescinde de ella o di qué lo impide.',
    cycles: 'Sal del círculo: haz algo distinto o di qué falta.',
    nothing: 'Busca en otro sitio, pide lo que necesitas o di que no se encuentra.',
    stale: 'Di lo que sabes hasta ahora y lo que falta; después sigue otro camino o termina.',
    texts: 'Da el siguiente paso o termina con lo que tienes.',
  },
  refused: 'Esta llamada no se ha ejecutado.',
  conclude: 'No uses más herramientas. Responde ahora con lo que sabes y di qué queda pendiente.',
  limits: {
    steps: 'Se ha alcanzado el límite de {max} pasos.',
    toolCalls: 'Se ha alcanzado el límite de {max} llamadas a herramientas.',
    tokens: 'Se ha alcanzado el límite de {max} tokens.',
    cost: 'El presupuesto de {max} está agotado.',
    ms: 'El tiempo de {max} ms se ha terminado.',
  },
  anyTool: 'una herramienta',
  ends: {
    loop: 'El asistente se repetía sin avanzar, así que se ha detenido. Intente explicar lo que necesita de otra forma o en pasos más pequeños.',
    steps:
      'El asistente necesitaba más pasos de los permitidos, así que se ha detenido. Intente pedir una parte más pequeña de la tarea.',
    budget: 'El presupuesto de esta tarea está agotado, así que el asistente se ha detenido.',
    time: 'El tiempo de esta tarea se ha terminado, así que el asistente se ha detenido. Inténtelo de nuevo o pida una parte más pequeña.',
  },
};

const fr: Sentences = {
  loops: {
    repeats:
      'Vous avez appelé {tool} {count} fois de suite avec les mêmes arguments et obtenu le même résultat.',
    failures: '{tool} a échoué {count} fois de suite avec la même erreur ({code}).',
    cycles: 'Vous avez parcouru la même suite d’appels {count} fois ; le dernier était {tool}.',
    nothing: '{tool} n’a rien trouvé {count} fois de suite.',
    stale: 'Les {count} dernières étapes n’ont rien apporté de nouveau.',
    texts: 'Vous avez écrit le même texte {count} fois de suite.',
  },
  helps: {
    repeats:
      'Un autre appel semblable n’y changera rien : utilisez ce que vous avez, essayez autrement ou dites ce qui manque.',
    failures:
      'D’autres arguments n’ont pas aidé : prenez un autre outil, passez-vous-en ou dites ce qui bloque.',
    cycles: 'Sortez du cercle : faites autre chose ou dites ce qui manque.',
    nothing: 'Cherchez ailleurs, demandez ce qu’il vous faut ou dites que cela reste introuvable.',
    stale: 'Dites ce que vous savez et ce qui manque, puis prenez un autre chemin ou terminez.',
    texts: 'Passez à l’action suivante ou terminez avec ce que vous avez.',
  },
  refused: 'Cet appel n’a pas été exécuté.',
  conclude:
    'N’utilisez plus d’outils. Répondez maintenant avec ce que vous savez et dites ce qui reste ouvert.',
  limits: {
    steps: 'La limite de {max} étapes est atteinte.',
    toolCalls: 'La limite de {max} appels d’outils est atteinte.',
    tokens: 'La limite de {max} tokens est atteinte.',
    cost: 'Le budget de {max} est épuisé.',
    ms: 'Le temps de {max} ms est écoulé.',
  },
  anyTool: 'un outil',
  ends: {
    loop: 'L’assistant se répétait sans avancer et a été arrêté. Essayez de formuler votre demande autrement ou par étapes plus petites.',
    steps:
      'L’assistant avait besoin de plus d’étapes que permis et a été arrêté. Essayez de demander une plus petite partie de la tâche.',
    budget: 'Le budget de cette tâche est épuisé ; l’assistant a été arrêté.',
    time: 'Le temps prévu pour cette tâche est écoulé ; l’assistant a été arrêté. Réessayez ou demandez-en une plus petite partie.',
  },
};

const ja: Sentences = {
  loops: {
    repeats: '{tool} を同じ引数で {count} 回続けて呼び出し、同じ結果になりました。',
    failures: '{tool} が同じエラー（{code}）で {count} 回続けて失敗しました。',
    cycles: '同じ順序の呼び出しを {count} 回繰り返しました。最後の呼び出しは {tool} です。',
    nothing: '{tool} は {count} 回続けて何も見つけられませんでした。',
    stale: '直近の {count} ステップで新しいことは何も得られていません。',
    texts: '同じ文章を {count} 回続けて書きました。',
  },
  helps: {
    repeats:
      '同じ呼び出しをしても結果は変わりません。今ある情報を使うか、別の方法を試すか、何が足りないかを述べてください。',
    failures:
      '引数を変えても解決していません。別のツールを使うか、使わずに進めるか、何が妨げになっているかを述べてください。',
    cycles: '繰り返しをやめて別のことをするか、何が足りないかを述べてください。',
    nothing: '別の場所を探すか、必要なものを尋ねるか、見つからないと述べてください。',
    stale: 'これまでに分かったことと足りないことを述べ、別の方法を取るか終了してください。',
    texts: '次の行動に移るか、今ある情報で終えてください。',
  },
  refused: 'この呼び出しは実行されませんでした。',
  conclude:
    'これ以上ツールを使わないでください。分かっていることで今すぐ回答し、残っている点を述べてください。',
  limits: {
    steps: 'ステップ数の上限 {max} に達しました。',
    toolCalls: 'ツール呼び出し回数の上限 {max} に達しました。',
    tokens: 'トークン数の上限 {max} に達しました。',
    cost: '予算 {max} を使い切りました。',
    ms: '制限時間 {max} ミリ秒が過ぎました。',
  },
  anyTool: 'ツール',
  ends: {
    loop: 'アシスタントが同じことを繰り返して先に進めなくなったため、停止しました。言い方を変えるか、小さく分けてお試しください。',
    steps: 'アシスタントのステップ数が上限を超えたため、停止しました。作業の一部だけを依頼してみてください。',
    budget: 'この作業の予算を使い切ったため、アシスタントを停止しました。',
    time: 'この作業の制限時間が過ぎたため、アシスタントを停止しました。もう一度試すか、作業の一部だけを依頼してください。',
  },
};

const zh: Sentences = {
  loops: {
    repeats: '你已连续 {count} 次用相同的参数调用 {tool}，结果也相同。',
    failures: '{tool} 已连续 {count} 次因同样的错误（{code}）而失败。',
    cycles: '你已将同样的调用顺序重复了 {count} 次，其中最后一个是 {tool}。',
    nothing: '{tool} 已连续 {count} 次没有找到任何内容。',
    stale: '最近 {count} 步没有带来任何新内容。',
    texts: '你已连续 {count} 次写出相同的文字。',
  },
  helps: {
    repeats: '再次这样调用不会有变化：请使用已有的信息，换一种方法，或说明还缺什么。',
    failures: '更换参数没有帮助：请换用其他工具，不使用该工具，或说明障碍在哪里。',
    cycles: '请跳出循环：做些不同的事，或说明还缺什么。',
    nothing: '请到别处查找，询问你需要的信息，或说明找不到。',
    stale: '请说明目前已知什么、还缺什么，然后换一种方法或结束。',
    texts: '请采取下一步行动，或用已有的信息结束。',
  },
  refused: '此调用没有执行。',
  conclude: '不要再使用任何工具。请立即根据已知的信息回答，并说明还有什么未解决。',
  limits: {
    steps: '已达到 {max} 步的上限。',
    toolCalls: '已达到 {max} 次工具调用的上限。',
    tokens: '已达到 {max} 个 token 的上限。',
    cost: '{max} 的预算已用完。',
    ms: '{max} 毫秒的时间已用完。',
  },
  anyTool: '某个工具',
  ends: {
    loop: '助手一直在重复而没有进展，因此已停止。请换一种说法，或分成更小的步骤再试。',
    steps: '助手所需的步骤超过了允许的数量，因此已停止。请尝试只提出任务的一部分。',
    budget: '此任务的预算已用完，因此助手已停止。',
    time: '此任务的时间已用完，因此助手已停止。请重试，或只提出任务的一部分。',
  },
};

const SENTENCES = /* @__PURE__ */ withOthers();

function withOthers(): Languages<Sentences> {
  const languages = new Languages(en);
  languages.register({ de, es, fr, ja, zh });
  return languages;
}

/** A tool's name as a sentence has it: one line, and not endless. */
const MOST_OF_A_NAME = 80;

function filled(text: string, reason: RunReason, { anyTool }: Sentences): string {
  const values: Record<string, string> =
    reason.kind === 'limit'
      ? { max: String(reason.max) }
      : {
          tool: reason.tool?.replace(/\s+/g, ' ').slice(0, MOST_OF_A_NAME) ?? anyTool,
          count: String(reason.count),
          code: reason.code ?? 'UNKNOWN',
        };
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The text for the model; `last`: its call is refused, because it was to answer without tools. */
export function say(
  advice: 'steer' | 'refuse' | 'conclude' | 'last',
  reason: RunReason,
  locale: string | undefined,
): string {
  const language = SENTENCES.of(locale ?? 'en');
  const happened = filled(
    reason.kind === 'limit' ? language.limits[reason.limit] : language.loops[reason.loop],
    reason,
    language,
  );
  const help =
    advice === 'conclude' || advice === 'last' || reason.kind === 'limit'
      ? language.conclude
      : language.helps[reason.loop];
  return advice === 'refuse' || advice === 'last'
    ? `${language.refused} ${happened} ${help}`
    : `${happened} ${help}`;
}

/** The message to the user when the run was stopped. */
export function endMessage(reason: RunReason, locale: string | undefined): string {
  const { ends } = SENTENCES.of(locale ?? 'en');
  if (reason.kind === 'loop') return ends.loop;
  if (reason.limit === 'ms') return ends.time;
  return reason.limit === 'tokens' || reason.limit === 'cost' ? ends.budget : ends.steps;
}
