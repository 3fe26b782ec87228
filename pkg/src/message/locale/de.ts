/** The templates of messages in one language. */
// Written from core/src/message/locale/de.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

export const de = () =>
  'de\u001e' +
  'one\u001e' +
  '{n} Sekunde|{n} Sekunden\u001e' +
  '{n} Minute|{n} Minuten\u001e' +
  '{n} Stunde|{n} Stunden\u001e' +
  '{n} Tag|{n} Tagen\u001e' +
  'Bitte versuchen Sie es in etwa {wait} erneut.\u001e' +
  'Bitte versuchen Sie es in Kürze erneut.\u001e' +
  'Technische Details: {detail}\u001e' +
  'Erwartet: {expected}\nErhalten: {got}\u001e' +
  '[provider|{provider}|Der KI-Dienst] hat eine leere Antwort gesendet. Mögliche Gründe:\n• Die Anfrage war unklar oder verlangte zu viel auf einmal\n• Die Sicherheitsregeln des Dienstes haben die Antwort zurückgehalten\n• Der Dienst war ausgelastet oder hatte kurzzeitig ein internes Problem\n• Ein Limit für Anfragen oder Nutzung war erreicht\n\nWas Sie tun können:\n• Sagen Sie mit anderen Worten, was Sie möchten\n• Teilen Sie eine große Aufgabe in kleinere Schritte auf\n• Versuchen Sie es in Kürze erneut\u001e' +
  '[provider|{provider}|Der KI-Dienst] hat eine leere Antwort gesendet. Sagen Sie mit anderen Worten, was Sie möchten, oder verlangen Sie weniger auf einmal.\u001e' +
  'Die Verbindung [provider|zu {provider}|zum Dienst] ist abgebrochen, während die Antwort übertragen wurde. [internet|Prüfen Sie Ihre Internetverbindung. |]{again}\u001e' +
  'Die Antwort brach ab, bevor sie vollständig war. {again}\u001e' +
  'Die Anfrage wurde abgebrochen, weil der Assistent beendet wurde. Starten Sie ihn neu und senden Sie dann Ihre Anfrage.\u001e' +
  'Die Anfrage wurde abgebrochen, weil der Assistent beendet wurde. {again}\u001e' +
  'In diesem Zeitraum dürfen keine weiteren Anfragen [provider|an {provider} |]gesendet werden. {again}\u001e' +
  'Der Assistent erhält mehr Anfragen, als er beantworten kann. {again}\u001e' +
  'Die Ausgabengrenze für die Anfragen des Assistenten ist erreicht; vorerst werden keine weiteren gesendet. {again}\u001e' +
  'Der Assistent hat seine Nutzungsgrenze vorerst erreicht. {again}\u001e' +
  '[provider|{provider}|Der Dienst] kann gerade nicht noch mehr Anfragen gleichzeitig annehmen. {again}\u001e' +
  '\u001e' +
  '[tool|Ein Werkzeug namens „{tool}“ gibt es nicht|Das Werkzeug, das der Assistent gewählt hat, gibt es nicht]; dieser Schritt war deshalb nicht möglich. Versuchen Sie es erneut oder beschreiben Sie die Aufgabe anders.\u001e' +
  '\u001e' +
  '[provider|{provider}|Der KI-Dienst] kann diese Unterhaltung in ihrer jetzigen Form nicht fortsetzen. Beginnen Sie eine neue Unterhaltung oder wählen Sie ein anderes Modell.\u001e' +
  'Der Assistent kann diese Unterhaltung in ihrer jetzigen Form nicht fortsetzen. Beginnen Sie eine neue Unterhaltung. Wenn das nicht hilft, müssen sich die Betreiber des Assistenten darum kümmern.\u001e' +
  '[provider|{provider}|Der KI-Dienst] konnte einen Anhang in dieser Unterhaltung nicht verarbeiten. Lassen Sie ihn weg oder senden Sie ihn in einem anderen Format. Wenn das nicht hilft, beginnen Sie eine neue Unterhaltung.\u001e' +
  '\u001e' +
  'Anfragen [provider|an {provider}|an den Dienst] sind vorerst angehalten. {again}\u001e' +
  '\u001e' +
  '[provider|Bei {provider}|Beim Dienst] gab es Probleme; deshalb wird vorerst nur ein Teil der Anfragen dorthin gesendet. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|Der KI-Dienst] ist noch nicht eingerichtet. Hinterlegen Sie den API-Schlüssel in den Einstellungen und versuchen Sie es dann erneut.\u001e' +
  '[provider|{provider}|Dieser KI-Dienst] kann hierfür nicht verwendet werden. Wählen Sie in den Einstellungen einen anderen KI-Dienst.\u001e' +
  '[provider|{provider}|Der Dienst] hat den API-Schlüssel nicht akzeptiert. Prüfen Sie ihn in den Einstellungen: Er könnte falsch eingegeben, abgelaufen oder gesperrt sein.\u001e' +
  'An [provider|{provider}|den Dienst] wurden in kurzer Zeit zu viele Anfragen gesendet. {again}\u001e' +
  '[model|Das Modell „{model}“|Das gewählte Modell] ist[provider| bei {provider}|] nicht verfügbar. Prüfen Sie den Namen in den Einstellungen oder wählen Sie ein anderes Modell.\u001e' +
  'Diese Unterhaltung ist zu lang für das Modell[model| „{model}“|]. Kürzen Sie Ihre Anfrage, lassen Sie Anhänge weg oder beginnen Sie eine neue Unterhaltung.\u001e' +
  'Die Verbindung [provider|zu {provider}|zum Dienst] konnte nicht hergestellt werden. [internet|Prüfen Sie Ihre Internetverbindung.|Prüfen Sie, ob der Dienst läuft und erreichbar ist.] {again}\u001e' +
  'Die Antwort [provider|von {provider}|des Dienstes] hat zu lange auf sich warten lassen. {again} Wenn das weiterhin vorkommt, hilft vielleicht eine kürzere Anfrage.\u001e' +
  '[provider|{provider}|Der Dienst] hat eine Antwort gesendet, die nicht verstanden werden konnte. Mögliche Gründe:\n• Die Verbindung brach ab, bevor die Antwort vollständig war\n• Der Dienst hatte kurzzeitig ein internes Problem\n• Der Dienst hat die Art seiner Antworten geändert\n\nWas Sie tun können:\n• Versuchen Sie es in Kürze erneut\n• Bitten Sie um eine kürzere oder einfachere Antwort\n• Wenn es weiterhin vorkommt, wählen Sie ein anderes Modell oder wenden Sie sich an den Support\u001e' +
  '[provider|Bei der Arbeit mit {provider} ist|Es ist] ein unerwarteter Fehler aufgetreten. {again} Wenn das weiterhin vorkommt, wenden Sie sich an den Support.\u001e' +
  '[provider|{provider}|Der Dienst] hat gerade technische Probleme; an Ihrer Anfrage liegt es nicht. {again}\u001e' +
  '[provider|{provider}|Der Dienst] ist gerade stark ausgelastet. {again}\u001e' +
  'Das Guthaben oder Nutzungslimit Ihres Kontos [provider|bei {provider}|beim Dienst] ist aufgebraucht. [wait|Es sollte sich in etwa {wait} erneuern. |]Prüfen Sie Tarif und Abrechnung des Kontos oder verwenden Sie einen anderen Dienst.\u001e' +
  'Die Sicherheitsregeln [provider|von {provider}|des KI-Dienstes] haben diese Anfrage oder die Antwort darauf gestoppt. Formulieren Sie die Anfrage um und lassen Sie heikle Inhalte weg.\u001e' +
  'Ihrem Konto fehlt[provider| bei {provider}|] die Berechtigung dafür. Bitten Sie die Administration um Zugriff oder verwenden Sie ein anderes Konto.\u001e' +
  '[provider|{provider} konnte die Anfrage des Assistenten nicht verarbeiten|Diese Anfrage konnte nicht verarbeitet werden]: Eine Angabe fehlt oder ist ungültig. Beginnen Sie eine neue Unterhaltung, beschreiben Sie anders, was Sie möchten, oder prüfen Sie die Einstellungen.\u001e' +
  'Das Gesuchte wurde[provider| bei {provider}|] nicht gefunden. Prüfen Sie Name oder Adresse: Vielleicht wurde es verschoben oder gelöscht.\u001e' +
  'Die Anfrage wurde abgebrochen. Sie können sie jederzeit erneut senden.\u001e' +
  'Eine Datei konnte nicht gelesen oder gespeichert werden. Prüfen Sie, ob sie vorhanden ist, ob Sie sie verwenden dürfen und ob genug Speicherplatz frei ist.\u001e' +
  'In den Einstellungen fehlt etwas, oder etwas ist falsch. Prüfen Sie die Einstellungen und versuchen Sie es dann erneut.\u001e' +
  '[tool|Das Werkzeug „{tool}“|Ein Werkzeug] braucht genauere Angaben, um weiterzumachen. Beschreiben Sie ausführlicher, was Sie möchten, und versuchen Sie es dann erneut.\u001e' +
  'Die Aufgabe brauchte mehr Schritte als erlaubt und wurde deshalb angehalten. Teilen Sie sie in kleinere Aufgaben auf oder beschreiben Sie sie genauer.\u001e' +
  '[tool|Das Werkzeug „{tool}“|Ein Werkzeug] konnte seine Arbeit nicht abschließen. Versuchen Sie es erneut oder beschreiben Sie die Aufgabe anders.\u001e' +
  'Der Assistent konnte nicht starten. Prüfen Sie die Einstellungen und starten Sie ihn neu. Wenn das nicht hilft, wenden Sie sich an den Support.\u001e' +
  '[provider|Bei {provider}|Beim Dienst] sind mehrmals hintereinander Fehler aufgetreten; Anfragen dorthin sind deshalb vorerst angehalten. {again}\u001e' +
  'Es laufen bereits zu viele Anfragen gleichzeitig. {again}\u001e' +
  'Jemand anderes hat dies gleichzeitig[provider| bei {provider}|] geändert; Ihre Änderung wurde deshalb nicht übernommen. {again}\u001e' +
  'Das gibt es[provider| bei {provider}|] bereits. Wählen Sie einen anderen Namen oder ändern Sie, was schon da ist.\u001e' +
  'Der Assistent ist noch nicht fertig eingerichtet. Ein neuer Versuch hilft erst, wenn die Betreiber des Assistenten die Einrichtung abgeschlossen haben.\u001e' +
  'Der Assistent kann derzeit nicht antworten. Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert haben.\u001e' +
  'Der Assistent kann derzeit nicht antworten. Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert haben.\u001e' +
  '\u001e' +
  'Der Assistent kann derzeit nicht antworten. Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert haben.\u001e' +
  '\u001e' +
  'Der Assistent konnte [provider|{provider}|einen Dienst, den er braucht,] nicht erreichen. {again} Wenn das weiterhin vorkommt, müssen sich die Betreiber des Assistenten darum kümmern.\u001e' +
  '\u001e' +
  '[provider|{provider}|Der Dienst] hat eine Antwort gesendet, die der Assistent nicht verstehen konnte. {again} Wenn das weiterhin vorkommt, müssen sich die Betreiber darum kümmern.\u001e' +
  'Etwas Unerwartetes ist schiefgegangen. {again} Wenn das weiterhin vorkommt, müssen sich die Betreiber des Assistenten darum kümmern.\u001e' +
  '\u001e' +
  '\u001e' +
  'Der Assistent hat vorerst aufgebraucht, was er nutzen darf. [wait|Bitte versuchen Sie es in etwa {wait} erneut.|Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert haben.]\u001e' +
  '\u001e' +
  'Der Assistent darf dies[provider| bei {provider}|] nicht tun. Ein neuer Versuch hilft nicht: Nur die Betreiber des Assistenten können das ändern.\u001e' +
  'Der Assistent konnte diese Anfrage nicht verarbeiten. Beginnen Sie eine neue Unterhaltung oder beschreiben Sie anders, was Sie möchten. Wenn das nicht hilft, müssen sich die Betreiber des Assistenten darum kümmern.\u001e' +
  'Das Gesuchte wurde[provider| bei {provider}|] nicht gefunden: Vielleicht wurde es verschoben oder gelöscht. Prüfen Sie die Schreibweise oder fragen Sie anders.\u001e' +
  '\u001e' +
  'Der Assistent konnte eine Datei, die er braucht, nicht lesen oder speichern. {again} Wenn das weiterhin vorkommt, müssen sich die Betreiber des Assistenten darum kümmern.\u001e' +
  'Der Assistent kann derzeit nicht antworten. Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert haben.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e' +
  'Der Assistent kann derzeit nicht antworten. Ein neuer Versuch hilft erst, wenn sich die Betreiber des Assistenten darum gekümmert haben.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e';
