/** §2.5. */
export const interviewTexts = {
  category: {
    title: 'Worüber möchtest du sprechen?',
    lead: 'Wähle ein Thema. Der KI-Interviewer stellt dazu passende Fragen.',
    duration: 'ca. 10 Minuten',
  },
  topics: {
    'engineering-path': {
      title: 'Dein Weg ins Ingenieurwesen',
      line: 'Was dich zu deinem Beruf gebracht hat und was du anderen mitgibst.',
    },
    'behind-scenes': {
      title: 'Hinter den Kulissen',
      line: 'Ein Blick in Werkstatt, Labor oder Baustelle, den sonst niemand sieht.',
    },
    'tech-dive': { title: 'Technik im Detail', line: 'Ein Verfahren, ein Bauteil, eine Lösung: genau erklärt.' },
    'free-topic': { title: 'Freies Thema', line: 'Was dich gerade beschäftigt und erzählt werden sollte.' },
  },
} as const;
