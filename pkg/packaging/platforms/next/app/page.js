// A server component: it guards calls while the page is rendered, for each request.
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from '../consumer.mjs';
import { Client } from './client.js';

export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <main>
      <p id="server">{await consume({ halfopen, testing })}</p>
      <Client />
    </main>
  );
}
