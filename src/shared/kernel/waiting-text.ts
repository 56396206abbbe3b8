/** Texts that agents are told, and that wait until the user has seen them. */
import { makeVisible } from './visible-text.ts'

/** A text that agents are told and that changed since the user last saw it, or that is new. */
export interface WaitingText {
  /** Absolute. */
  readonly path: string
  /** The path below the project, with slashes. */
  readonly name: string
  /** What agents are told until then; null: nothing of this file. */
  readonly former: string | null
  readonly text: string
  /** Of `text`. */
  readonly digest: string
}

/** Says to the user that a text waits. */
export function waitingTextSentence({ name, former }: WaitingText): string {
  return `${makeVisible(name)} ${
    former === null
      ? 'came after you trusted the folder, so agents are not told of it.'
      : 'changed since you last saw it, so agents are told its former text.'
  } See it and approve it in Settings › Permissions, or with troupe permissions approve.`
}
