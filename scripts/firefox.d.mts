export const FIREFOX: string | undefined;
