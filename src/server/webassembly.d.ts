/** The part of WebAssembly that the server uses; TypeScript declares it only together with the DOM. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>;
  }
  var Memory: new (descriptor: { initial: number }) => Memory;
  function instantiate(
    bytes: Uint8Array<ArrayBuffer>,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ): Promise<{ instance: Instance }>;
}
