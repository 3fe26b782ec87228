/** Makes one more language known to messages, status lines and reports. */

import { TEMPLATES } from './message/templates.js';
import { LABELS } from './recovery/labels.js';
import type { Labels } from './recovery/locale/types.js';
import type { StatusTexts } from './response/locale/types.js';
import { STATUS_TEXTS } from './response/status-texts.js';

/** Everything that there is to say in one language. */
export interface Language {
  readonly templates: () => string;
  readonly statusTexts: StatusTexts;
  readonly labels: Labels;
}

/** Adds a language, or replaces it. @param tag A BCP 47 language subtag. */
export function registerLanguage(tag: string, { templates, statusTexts, labels }: Language): void {
  TEMPLATES.register({ [tag]: templates });
  STATUS_TEXTS.register({ [tag]: statusTexts });
  LABELS.register({ [tag]: labels });
}
