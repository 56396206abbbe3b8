/** What an agent is told when it may not; each says what would change that. */

export const untrusted =
  'This folder is not trusted yet, so agents only read files in it and run no commands. ' +
  'Only the user can change that: by trusting the folder in the window, or with --trust on the command line.'

export const readOnlyAgent =
  'This agent is read-only: it reads files and runs only commands that are known to read. ' +
  'Report what would have to be changed instead of changing it.'

export const planMode =
  'Plan mode only reads: nothing is written and only commands that are known to read run. ' +
  'Describe the change in your answer instead. Only the user can leave this mode.'

/** For `dontAsk`: what would have been a question is a no. `rules` would allow it; none where rules cannot. */
export function notAsked(because: string, rules: readonly string[]): string {
  const way =
    rules.length === 0
      ? 'No rule can allow it; it needs another permission mode.'
      : `The ${rules.length > 1 ? 'rules' : 'rule'} ${rules.join(', ')} would allow it; only the user can add ${rules.length > 1 ? 'them' : 'it'}.`
  return `${because} Nobody is asked in this mode (dontAsk), so it is denied. ${way}`
}
