import { constants } from 'node:crypto';

/** What every TLS connection must have: no version that can be listened to, and nobody who becomes somebody else on the way. */
export const TLS_FLOOR = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;
