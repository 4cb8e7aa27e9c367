import { constants } from 'node:crypto';

/** Minimum for every TLS connection: no broken version, no renegotiation, which could change the peer. */
export const TLS_FLOOR = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;
