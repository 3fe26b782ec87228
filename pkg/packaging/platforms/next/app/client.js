'use client';
// Rendered on the server, then hydrated: what it says of itself comes from the browser.
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { useEffect, useState } from 'react';
import { consume } from '../consumer.mjs';

const policy = halfopen.createPolicy({ name: 'module-scope' });

export function Client() {
  const [name] = useState(policy.name);
  useEffect(() => {
    consume({ halfopen, testing }).then(
      (seen) => document.body.setAttribute('data-result', seen),
      (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
    );
  }, []);
  return <p id="client">{name}</p>;
}
