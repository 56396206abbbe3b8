/** The fields of a conversation without a coordinator, teams, tasks, phases, verifications and comparisons. Not beside their schema, which the window does not load. */
export const noTeams = {
  coordinator: false,
  teams: [],
  tasks: [],
  phases: [],
  verifications: [],
  comparisons: [],
}
