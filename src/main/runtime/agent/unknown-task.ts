/** The answer to an id that the caller's background work does not have. */

/** For a call that names nothing which the caller started. `known`: what it has in the background. */
export function unknownTask(id: string, known: readonly string[]): string {
  return `You started no command or agent ${id}. ${known.length === 0 ? 'Nothing of yours is in the background.' : `In the background: ${known.join(', ')}.`}`
}
