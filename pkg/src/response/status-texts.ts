/** Status lines, by language. */

import { Languages } from '../message/language.js';
import { enStatusTexts } from './locale/en.js';
import type { StatusTexts } from './locale/types.js';

export const STATUS_TEXTS = new Languages<StatusTexts>(enStatusTexts);
