// `halfopen/locale/fr`: French for `halfopen/slim`. Importing it registers the language.

import { registerLanguage } from '../languages.js';
import { fr as templates } from '../message/locale/fr.js';
import { frLabels as labels } from '../recovery/locale/fr.js';
import { frStatusTexts as statusTexts } from '../response/locale/fr.js';

registerLanguage('fr', { templates, statusTexts, labels });
