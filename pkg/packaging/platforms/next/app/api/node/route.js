// A route handler in Node.
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from '../../../consumer.mjs';

export const dynamic = 'force-dynamic';
export const GET = async () => new Response(await consume({ halfopen, testing }));
