/**
 * The runtime frames messages to an agent, so that the agent knows the sender. The window shows the sender in another
 * way and removes the frame. Text without a frame is returned unchanged.
 */

/** The text of a message from an agent, without the frame. */
export function withoutFrame(text: string): string {
  return text.replace(/^A message from the agent [^\n]+\. An agent wrote this, not the user\.\n\n/, '')
}

/** The report of a background agent, without the frame. */
export function reportIn(notice: string): string {
  return notice
    .replace(/^An agent that worked in the background has ended(?: \([^\n]*\))?\.\n\n/, '')
    .replace(/^The agent [^\n]+ reports\. An agent wrote this, [^\n]+\n\n/, '')
    .replace(/\n\n\[agent [^\n\]]+\]$/, '')
}
