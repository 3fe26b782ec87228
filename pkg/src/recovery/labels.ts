/** The labels of a report, by language. */

import { Languages } from '../message/language.js';
import { enLabels } from './locale/en.js';
import type { Labels } from './locale/types.js';

export const LABELS = new Languages<Labels>(enLabels);
