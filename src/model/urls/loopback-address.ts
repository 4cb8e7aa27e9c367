import { addressClass } from './address-class.js';

/** Whether only programs of this machine can reach an address. A name other than `localhost` may come to mean another. */
export function isLoopbackAddress(address: string): boolean {
  if (address.includes(':')) return addressClass(`[${address}]`) === 'loopback';
  const isName = !/^\d{1,3}(?:\.\d{1,3}){3}$/u.test(address);
  return isName ? address.toLowerCase() === 'localhost' : addressClass(address) === 'loopback';
}
