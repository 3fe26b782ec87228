export declare function freePort(above?: number): Promise<number>;
