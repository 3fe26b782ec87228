/** Makes a folder that is removed when this process exits; with `beside`, packages are found as from there. */
export function scratch(beside?: string): string;
