/** Says in words which setting keeps the server from listening; other errors stay as they are. */
export function describeListenError(error: unknown, address: Readonly<{ host: string; port: number }>): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const { host, port } = address;
  if (code === 'EADDRINUSE') {
    return new Error(`Port ${port} ist schon belegt. Beende das andere Programm, oder wähle einen anderen mit PORT.`);
  }
  if (code === 'EACCES') {
    return new Error(`Port ${port} darf dieses Konto nicht öffnen. Wähle mit PORT einen ab 1024.`);
  }
  if (code === 'EADDRNOTAVAIL') return new Error(`Die Adresse ${host} gibt es hier nicht. Sie steht in HOST.`);
  return error;
}
