import type { Socket } from 'node:net';
import { HostError } from '../../base/errors.js';
import { closeFrame, Masks, pingFrame, pongFrame, textFrames } from '../../wire/ws/ws-frames.js';
import { overload } from '../http/overload.js';

/** Writes to a WebSocket: one write per turn of the event loop, because a system call costs more than a message. */
export class WsOutbox {
  readonly #socket: Socket;
  readonly #name: string;
  readonly #masks = new Masks();
  #bag: string[] = [];
  #bagged = 0;
  #pong: Buffer | undefined;
  #isDue = false;

  constructor(socket: Socket, name: string) {
    this.#socket = socket;
    this.#name = name;
    socket.on('drain', () => this.#flushPong());
  }

  /** Bytes that the server has not accepted yet. */
  get backlog(): number {
    return this.#socket.writableLength + this.#bagged;
  }

  /** Throws `overloaded` when the server has stopped reading, `connection-closed` when it is gone. */
  send(text: string): void {
    const name = this.#name;
    if (!this.#socket.writable) {
      throw new HostError('connection-closed', `The connection to server "${name}" is closed`);
    }
    const refusal = overload({ label: `Server "${name}"`, backlog: this.backlog, length: text.length });
    if (refusal) throw refusal;
    this.#bagged += text.length;
    if (this.#bag.push(text) === 1) this.#flushSoon();
  }

  ping(): void {
    this.#writeControl(pingFrame(this.#masks.next()));
  }

  /** Answers only the last of many pings, and a server that does not read only after it has read the previous pong. */
  pong(payload: Buffer): void {
    this.#pong = payload;
    this.#flushSoon();
  }

  /** Sends the close frame, after which nothing is sent. */
  end(code: number): void {
    this.#pong = undefined;
    this.#flush();
    if (this.#socket.writable) this.#socket.end(closeFrame(code, this.#masks.next()));
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isDue = false;
    if (this.#bag.length > 0) {
      const bag = this.#bag;
      this.#bag = [];
      this.#bagged = 0;
      if (this.#socket.writable) this.#socket.write(textFrames(bag, this.#masks.next()));
    }
    if (this.#pong) this.#flushPong();
  };

  #flushPong(): void {
    const payload = this.#pong;
    if (!payload || this.#socket.writableNeedDrain) return;
    this.#pong = undefined;
    this.#writeControl(pongFrame(payload, this.#masks.next()));
  }

  #writeControl(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
  }
}
