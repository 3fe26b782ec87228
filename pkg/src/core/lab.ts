// The functions of the wasm module `lab` (core/wasm/src/lab.rs, replay.rs): the simulator. Only one entry point imports
// it, so an application without `halfopen/lab` does not carry the module.

import glue from '../../wasm/lab/glue.js';
import { lab as instantiate } from '../entry/lab.js';
import { CoreModule, type Trap } from './instance.js';

/** The module: its instance and what becomes of it. */
const core = /* @__PURE__ */ new CoreModule('lab', glue, instantiate);

/** The number of the module's instance: the handles of another one are void. */
export const presentInstance = (): number => core.instanceNumber;
/** The error of the last instance's trap, if one has trapped. */
export const lastTrap = (): Trap | undefined => core.lastTrap;

export const labAdvance = /* @__PURE__ */ core.guarded('labAdvance');
export const labDrawn = /* @__PURE__ */ core.guarded('labDrawn');
export const labFree = /* @__PURE__ */ core.guarded('labFree');
export const labMisfit = /* @__PURE__ */ core.guarded('labMisfit');
export const labNew = /* @__PURE__ */ core.guarded('labNew');
export const labResult = /* @__PURE__ */ core.guarded('labResult');
export const labShare = /* @__PURE__ */ core.guarded('labShare');
export const replayAdvance = /* @__PURE__ */ core.guarded('replayAdvance');
export const replayBegin = /* @__PURE__ */ core.guarded('replayBegin');
export const replayCensored = /* @__PURE__ */ core.guarded('replayCensored');
export const replayChanged = /* @__PURE__ */ core.guarded('replayChanged');
export const replayFree = /* @__PURE__ */ core.guarded('replayFree');
export const replayNew = /* @__PURE__ */ core.guarded('replayNew');
export const replayRows = /* @__PURE__ */ core.guarded('replayRows');
export const replayRunRows = /* @__PURE__ */ core.guarded('replayRunRows');
export const replayRunRules = /* @__PURE__ */ core.guarded('replayRunRules');
export const replayRuns = /* @__PURE__ */ core.guarded('replayRuns');
export const replaySettings = /* @__PURE__ */ core.guarded('replaySettings');
export const replayShare = /* @__PURE__ */ core.guarded('replayShare');
export const replaySums = /* @__PURE__ */ core.guarded('replaySums');
