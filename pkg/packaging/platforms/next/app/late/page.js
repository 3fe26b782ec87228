'use client';
// A page of the client that imports a policy alone: the words of errors come late.
import { useEffect } from 'react';
import { show } from '../../late.mjs';

export default function Page() {
  useEffect(() => void show(), []);
  return <p>late</p>;
}
