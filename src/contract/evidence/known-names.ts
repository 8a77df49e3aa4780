import { fold } from './stem.ts';
import { listWords } from './words.ts';

/**
 * First names, surnames, places and companies that contributions are likely to name. What is missing here is found by
 * its place in the sentence.
 */
const NAMES = `
  Ada Adrian Agnes Ahmed Alexander Alexandra Ali Alina Amelie Amira Andrea Andreas Angela Angelika Anja Anke Anna
  Anne Annette Antje Anton Arne Astrid Ayse Barbara Bastian Beate Ben Benedikt Benjamin Bernd Bernhard Bettina
  Birgit Björn Brigitte Britta Bruno Carina Carla Carolin Carsten Charlotte Christa Christian Christiane Christina
  Christine Christoph Clara Claudia Claus Cornelia Dagmar Daniel Daniela David Denis Dennis Dieter Dietmar Dirk
  Dominik Doris Dorothea Eberhard Edgar Elena Elias Elif Elisabeth Elke Ella Emil Emilia Emine Emma Eric Erik Erika
  Erwin Esra Eva Fabian Fatma Felix Ferdinand Finn Florian Frank Franz Franziska Frauke Friederike Fritz Gabriele
  Georg Gerald Gerd Gerhard Gisela Grace Gregor Gudrun Günter Günther Hanna Hannah Hannes Hans Harald Hartmut Hasan
  Heike Heiko Heinrich Heinz Helga Helmut Hendrik Henrik Henry Herbert Hermann Holger Horst Hubert Hüseyin Ibrahim
  Ida Ilona Ilse Ines Ingo Ingrid Irene Iris Isabel Isabell Ivan Jakob Jan Jana Janina Jannik Jasmin Jens Jessica
  Joachim Jochen Johann Johanna Johannes Jonas Jonathan Jörg Josef Judith Julia Julian Juliane Jürgen Jutta Kai
  Karen Karin Karl Karoline Karsten Katharina Kathrin Katja Katrin Kerstin Kevin Kim Kirsten Klara Klaus Konrad
  Konstantin Kristin Kristina Kurt Lara Lars Laura Lea Leah Lena Leon Leonie Levin Lina Linda Lisa Lothar Louis
  Louisa Luca Luis Luisa Lukas Lutz Maike Manfred Manuel Manuela Marc Marcel Marco Marcus Maren Margarete Margit
  Maria Marianne Marie Marina Mario Marion Mark Markus Marlene Marlies Martha Martin Martina Marvin Mathias Mathilda
  Matthias Max Maximilian Mehmet Meike Melanie Merle Mia Michael Michaela Mike Miriam Mirko Mohammed Monika Moritz
  Murat Mustafa Nadine Nadja Natalie Nele Nicole Niklas Nils Nina Noah Nora Norbert Olaf Ole Oliver Olga Oskar Otto
  Pascal Patricia Patrick Paul Paula Petra Peter Philipp Pia Rainer Ralf Ralph Ramona Raphael Rebecca Regina Reiner
  Reinhard Renate Richard Rita Robert Robin Roland Rolf Roman Ronny Rosa Rudolf Rüdiger Sabine Sabrina Samuel Sandra
  Sara Sarah Sascha Sebastian Selin Selma Silke Silvia Simon Simone Sina Sonja Sofia Sophia Sophie Stefan Stefanie
  Steffen Stephan Stephanie Susanne Sven Svenja Swantje Sylvia Tanja Tatjana Theo Theresa Thomas Thorsten Till Tim
  Timo Tina Tobias Tom Torben Torsten Udo Ulrich Ulrike Ursula Ute Uwe Valentin Vanessa Vera Verena Veronika
  Victoria Viktor Vincent Volker Walter Waltraud Werner Wilhelm Willi Wolfgang Yannick Yasmin Yusuf Zeynep Müller
  Schmidt Schneider Fischer Weber Meyer Meier Maier Mayer Wagner Becker Schulz Hoffmann Schäfer Bauer Richter Wolf
  Schröder Neumann Schwarz Zimmermann Krüger Hofmann Hartmann Lange Schmitt Werner Krause Lehmann Köhler Herrmann
  Walter König Mayer Huber Kaiser Fuchs Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich Keller Günther Berger
  Winkler Lorenz Baumann Schuster Kraus Böhm Simon Franke Albrecht Winter Ludwig Sommer Yılmaz Yilmaz Kaya Demir
  Nguyen Kowalski Nowak Petersen Hansen Jansen Janssen Thomsen Lovelace Hopper Brandt Voigt Busch Bergmann Pohl
  Sauer Arnold Pfeiffer Seidel Aachen Augsburg Bayern Berlin Bielefeld Bochum Bonn Bottrop Brandenburg Braunschweig
  Bremen Bremerhaven Chemnitz Cottbus Darmstadt Dortmund Dresden Duisburg Düsseldorf Eisenach Emden Erfurt Erlangen
  Essen Esslingen Flensburg Frankfurt Freiburg Fürth Gelsenkirchen Gera Gießen Göttingen Graz Greifswald Hagen Halle
  Hamburg Hamm Hanau Hannover Heidelberg Heilbronn Herne Hessen Hildesheim Ingolstadt Innsbruck Jena Kaiserslautern
  Karlsruhe Kassel Kiel Koblenz Köln Konstanz Krefeld Landshut Leipzig Leverkusen Lindau Linz Lübeck Ludwigsburg
  Ludwigshafen Lüneburg Magdeburg Mainz Mannheim Marburg Moers Mönchengladbach München Münster Neuss Niedersachsen
  Nürnberg Oberhausen Offenbach Offenburg Oldenburg Osnabrück Paderborn Passau Pforzheim Potsdam Ravensburg
  Regensburg Remscheid Reutlingen Rosenheim Rostock Ruhrgebiet Saarbrücken Saarland Sachsen Salzburg Salzgitter
  Schweinfurt Schwerin Siegen Solingen Stralsund Stuttgart Thüringen Trier Tübingen Ulm Weimar Westfalen Wien
  Wiesbaden Wolfsburg Wuppertal Würzburg Zürich Zwickau Basel Bern Genf Europa Asien Afrika Amerika Deutschland
  Österreich Schweiz Frankreich Italien Spanien Portugal Polen Tschechien Ungarn Rumänien Niederlande Holland
  Belgien Dänemark Schweden Norwegen Finnland England Großbritannien Irland Griechenland Türkei Russland Ukraine
  China Japan Indien Korea Südkorea Taiwan Vietnam Thailand Singapur Australien Kanada Mexiko Brasilien Argentinien
  Chile USA Ägypten Marokko Israel Dubai Paris London Rom Mailand Madrid Barcelona Lissabon Prag Warschau Budapest
  Amsterdam Rotterdam Brüssel Kopenhagen Stockholm Oslo Helsinki Moskau Peking Shanghai Tokio Boston Chicago Detroit
  Texas ABB Airbus Aldi Amazon Apple Audi BASF Bayer Beckhoff Bilfinger BMW Bosch Continental Daimler Danfoss DHL
  DMG Dürr Endress EnBW Evonik Fanuc Festo Fraunhofer Fronius Google Grundfos Hannover Harting Henkel Hilti
  Honeywell IBM Infineon Jungheinrich Kärcher Kion Knorr KSB Kuka Lenze Liebherr Linde Lufthansa Mahle MAN Mercedes
  Miele Microsoft MTU Nokia NSK Opel Parker Pepperl Phoenix Pilz Porsche Rexroth Rittal Rheinmetall SAP Schaeffler
  Schuler Sick SEW Siemens SKF Stihl Tesla Thyssenkrupp Toyota Trumpf VDI VDMA Viessmann Voith Volkswagen Volvo Wago
  Wilo Wittenstein Würth Zeiss LinkedIn Instagram Facebook YouTube Hausmesse Achema Bauma Automatica
`;

/** Of them also common words, which say nothing by themselves. */
const ALSO_COMMON = new Set(
  listWords(`
    essen halle hamm hagen ulm lange jung winter sommer kaiser konig weiss schwarz wolf linde linz sick man
    parker phoenix pilz hausmesse mark rosa finn sauer richter schneider schuster fischer bauer vogel berger
    busch simon kim robin pascal apple werner
  `),
);

export const KNOWN_NAMES: ReadonlySet<string> = new Set(
  listWords(NAMES)
    .map(fold)
    .filter((name) => !ALSO_COMMON.has(name)),
);
