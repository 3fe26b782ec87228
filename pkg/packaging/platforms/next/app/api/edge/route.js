// A route on the edge: the core is imported as .wasm files, which is all that this runtime compiles.
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from '../../../consumer.mjs';

export const runtime = 'edge';
export const GET = async () => new Response(await consume({ halfopen, testing }));
