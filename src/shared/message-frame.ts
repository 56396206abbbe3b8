/**
 * What the runtime puts around words that are handed to an agent, so that it knows whose they are. A person sees
 * whose they are by other means: the window shows what is inside. Text without such a frame is left as it is.
 */

/** A message from an agent, without the sentence that says so. */
export function withoutFrame(text: string): string {
  return text.replace(/^A message from the agent [^\n]+\. An agent wrote this, not the user\.\n\n/, '')
}

/** What an agent that worked in the background reported, without the sentences around it. */
export function reportIn(notice: string): string {
  return notice
    .replace(/^An agent that worked in the background has ended \([^\n]*\)\.\n\n/, '')
    .replace(/^The agent [^\n]+ reports\. An agent wrote this, [^\n]+\n\n/, '')
    .replace(/\n\n\[agent [^\n\]]+\]$/, '')
}
