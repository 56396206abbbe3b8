/** What is used of the SDK, in a file of its own: imported on demand, and bundled without the rest of it. */
export { BaseAnthropic } from '@anthropic-ai/sdk/client'
